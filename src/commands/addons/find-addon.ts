import { LRUCache } from 'lru-cache';
import { growing } from '../../common/growing.ts';
import { makeSharedCalls } from '../../common/shared-calls.ts';
import {
  addonDecider,
  type AddonEvent,
  type AllowedAudience,
  type GrantType,
  type IdTokenAlg,
  type Logo,
} from '../../domain/addons/addon.ts';
import { addonEvents } from '../../domain/addons/events.ts';
import type { Instant } from '../../domain/kernel/decision.ts';
import { isUlid } from '../../domain/kernel/ids.ts';
import type { AllowedScope } from '../../domain/access/scope.ts';
import { addonStream } from '../../domain/streams.ts';
import type { ExpectedRevision } from '../../eventstore/event-store.ts';
import { load } from '../kernel/handle.ts';
import type { CommandDependencies } from '../kernel/dependencies.ts';
import type { WebAddress } from '../../domain/addons/web-addresses.ts';

export type Addon = Readonly<Record<WebAddress, string | null>> & {
  readonly addonId: string;
  readonly name: string;
  readonly registeredAt: Instant;
  readonly redirectUris: readonly string[];
  readonly configurationUrl: string | null;
  readonly allowedScopes: readonly AllowedScope[];
  /** Digests of the valid secrets; empty for a public add-on. */
  readonly secretDigests: readonly string[];
  /** Their ids, in the same order. */
  readonly secretIds: readonly string[];
  readonly grantTypes: readonly GrantType[];
  readonly postLogoutRedirectUris: readonly string[];
  readonly idTokenAlg: IdTokenAlg;
  /** The resources that it serves as a resource server. */
  readonly audiences: readonly string[];
  /** Resources of other servers that it may ask for. */
  readonly allowedAudiences: readonly AllowedAudience[];
  readonly suspended: boolean;
  /** Permanently ended. */
  readonly retired: boolean;
  /** Whose members look after it; null: only operators do. */
  readonly publisherId: string | null;
  readonly publisher: string | null;
  /** Whether an operator says that the platform has checked it. */
  readonly verified: boolean;
  /** The file itself is not cached here. */
  readonly hasLogo: boolean;
};

const maxAge = 5_000;
const maxKept = 10_000;

/** Cached: every authorize and token request needs its add-on, which hardly ever changes. */
export type AddonDirectory = {
  /** Null for an unknown client. May be up to 5 s old; suspension is always judged by the fence. */
  readonly find: (addonId: string) => Promise<Addon | null>;
  /** As the log has it now, for what a change decides on every instance (AM-12): one event, or the stream if it changed. Reads are shared. */
  readonly current: (addonId: string) => Promise<Addon | null>;
  /** The next `find` reads the log: after a command that changed the add-on, or a change by another instance. */
  readonly forget: (addonId: string) => void;
};

/** Event types after which every instance has to drop the add-on from its cache, whoever appended them. */
export const addonChanges = (Object.keys(addonEvents) as AddonEvent['type'][]).filter(
  (type) => type !== 'AddonRegistered',
);

/** Add-ons from their streams, cached for at most 5 s. An unknown id is not cached: it may be registered the next moment. */
export const makeAddonDirectory = ({
  store,
  now,
  most = maxKept,
}: Pick<CommandDependencies, 'store' | 'now'> & { readonly most?: number }): AddonDirectory => {
  type Entry = { readonly loaded: Promise<Loaded | null>; until: Instant };
  const kept = new LRUCache<string, Entry>(growing(most));

  const look = async (addonId: string): Promise<Addon | null> => {
    const entry: Entry = { loaded: loadAddon(store, addonId), until: now() + maxAge };
    const drop = () => kept.get(addonId) === entry && kept.delete(addonId);
    kept.set(addonId, entry);
    entry.loaded.then((loaded) => loaded ?? drop(), drop);
    return (await entry.loaded)?.addon ?? null;
  };

  const readCurrent = makeSharedCalls(async (addonId) => {
    const until = now() + maxAge;
    const entry = kept.get(addonId);
    const [{ revision }, known] = await Promise.all([
      store.readBack(addonStream(addonId), 'end', 1),
      entry?.loaded,
    ]);
    if (!entry || known?.revision !== revision) return look(addonId);
    entry.until = until; // confirmed, so it is as new as one that was loaded now
    return known.addon;
  });

  return {
    find: async (addonId) => {
      if (!isUlid(addonId)) return null;
      const entry = kept.get(addonId);
      if (!entry || now() >= entry.until) return look(addonId);
      return (await entry.loaded)?.addon ?? null;
    },
    current: async (addonId) => (isUlid(addonId) ? readCurrent(addonId) : null),
    forget: (addonId) => kept.delete(addonId),
  };
};

type Loaded = { readonly addon: Addon; readonly revision: ExpectedRevision };

const loadAddon = async (store: CommandDependencies['store'], addonId: string): Promise<Loaded | null> => {
  const { state, revision } = await load(store, addonStream(addonId), addonDecider);
  if (state.status === 'unregistered') return null;
  const { status, secrets, confidential: _, logo, changes: _changes, ...registered } = state;
  const secretDigests = secrets.map(({ digest }) => digest);
  const secretIds = secrets.map(({ secretId }) => secretId);
  const now = { suspended: status === 'suspended', retired: status === 'retired', hasLogo: logo !== null };
  return { addon: { ...registered, secretDigests, secretIds, ...now }, revision };
};

/** The logo of an add-on, from its stream: the cached add-ons do not hold it. Null if it has none. */
export const makeAddonLogo =
  ({ store }: Pick<CommandDependencies, 'store'>) =>
  async ({ addonId, hasLogo }: Pick<Addon, 'addonId' | 'hasLogo'>): Promise<Logo | null> => {
    if (!hasLogo) return null;
    const { state } = await load(store, addonStream(addonId), addonDecider);
    return state.status === 'unregistered' ? null : state.logo;
  };
