import { LRUCache } from 'lru-cache';
import {
  addonDecider,
  type AddonEvent,
  type AllowedAudience,
  type GrantType,
  type IdTokenAlg,
} from '../domain/addon.ts';
import type { Instant } from '../domain/decision.ts';
import { isUlid } from '../domain/ids.ts';
import type { Scope } from '../domain/scope.ts';
import { addonStream } from '../domain/streams.ts';
import { load } from './handle.ts';
import type { CommandDependencies } from './dependencies.ts';

/** An add-on, with what authorize and token need. */
export type Addon = {
  readonly addonId: string;
  readonly name: string;
  readonly redirectUris: readonly string[];
  readonly configurationUrl: string | null;
  readonly allowedScopes: readonly Scope[];
  /** Digests of the valid secrets; empty for a public add-on. */
  readonly secretDigests: readonly string[];
  readonly grantTypes: readonly GrantType[];
  readonly postLogoutRedirectUris: readonly string[];
  readonly idTokenAlg: IdTokenAlg;
  /** The resources that it serves as a resource server. */
  readonly audiences: readonly string[];
  /** Resources of other servers that it may ask for. */
  readonly allowedAudiences: readonly AllowedAudience[];
  readonly suspended: boolean;
};

const maxAge = 5_000;
const maxKept = 10_000;

/** Cached: every authorize and token request needs its add-on, which hardly ever changes. */
export type AddonDirectory = {
  /** Null for an unknown client. May be up to 5 s old; suspension is always judged by the fence. */
  readonly find: (addonId: string) => Promise<Addon | null>;
  /**
   * The next `find` reads the log again. For a command that has just changed the add-on, and for notifications of
   * changes by other instances.
   */
  readonly forget: (addonId: string) => void;
};

type Change = Exclude<AddonEvent['type'], 'AddonRegistered'>;

const changes: Record<Change, true> = {
  AddonSecretAdded: true,
  AddonSecretRemoved: true,
  AddonAudienceAllowed: true,
  AddonAudienceDisallowed: true,
  AddonSuspended: true,
  AddonResumed: true,
};

/** Event types after which every instance has to drop the add-on from its cache, whoever appended them. */
export const addonChanges = Object.keys(changes) as readonly Change[];

/**
 * Add-ons from their streams, cached for at most 5 s. An unknown id is not cached: it may be registered the next
 * moment.
 */
export const makeAddonDirectory = ({
  store,
  now,
  most = maxKept,
}: Pick<CommandDependencies, 'store' | 'now'> & { readonly most?: number }): AddonDirectory => {
  const kept = new LRUCache<string, { readonly addon: Promise<Addon | null>; readonly until: Instant }>({
    max: most,
  });

  const look = (addonId: string): Promise<Addon | null> => {
    const entry = { addon: loadAddon(store, addonId), until: now() + maxAge };
    const drop = () => kept.get(addonId) === entry && kept.delete(addonId);
    kept.set(addonId, entry);
    entry.addon.then((addon) => addon ?? drop(), drop);
    return entry.addon;
  };

  return {
    find: async (addonId) => {
      if (!isUlid(addonId)) return null;
      const entry = kept.get(addonId);
      return entry && now() < entry.until ? entry.addon : look(addonId);
    },
    forget: (addonId) => kept.delete(addonId),
  };
};

const loadAddon = async (store: CommandDependencies['store'], addonId: string): Promise<Addon | null> => {
  const { state } = await load(store, addonStream(addonId), addonDecider);
  if (state.status === 'unregistered') return null;
  const { status, secrets, confidential: _, ...registered } = state;
  const secretDigests = secrets.map(({ digest }) => digest);
  const suspended = status === 'suspended';
  return { ...registered, secretDigests, suspended };
};
