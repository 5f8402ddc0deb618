import { accept, type Decider, type Decision, type Instant, refuse, type At } from '../kernel/decision.ts';
import type { DataIn, EventsIn } from '../describe-event.ts';
import { type addonEvents, grantTypes, type unsettable } from './events.ts';
import { eachWebAddress, type WebAddress } from './web-addresses.ts';

export type AddonEvent = EventsIn<typeof addonEvents>;
export type Registration = Omit<DataIn<typeof addonEvents, 'AddonRegistered'>, 'at'>;
export type GrantType = Registration['grantTypes'][number];
export type IdTokenAlg = Registration['idTokenAlg'];

export type AddonDetails = Pick<
  DataIn<typeof addonEvents, 'AddonUpdated'>,
  'publisher' | WebAddress | 'logo'
>;
export type Unsettable = (typeof unsettable)[number];
export type Logo = NonNullable<AddonDetails['logo']>;

const noDetails: AddonDetails = {
  publisher: null,
  ...eachWebAddress(() => null),
  logo: null,
};

/** Defaults of the fields that an operator may leave out. */
export const usualRegistration = {
  grantTypes,
  postLogoutRedirectUris: [],
  idTokenAlg: 'RS256',
  audiences: [],
} as const satisfies Partial<Registration>;

/** What a publisher's members may propose. Null, or an empty list: it stays as it is. */
export type ProposedChange = Omit<
  DataIn<typeof addonEvents, 'AddonChangeRequested'>,
  'changeId' | 'by' | 'at'
>;

export type AddonChange = ProposedChange & {
  readonly changeId: string;
  /** Its author, a user id. */
  readonly by: string;
  /** The publisher that the add-on had then: nobody else's members see it. */
  readonly publisherId: string | null;
  readonly requestedAt: Instant;
  readonly state: 'waiting' | 'approved' | 'refused' | 'withdrawn';
  readonly decidedAt: Instant | null;
  readonly reason: string | null;
};

/** Of those that no longer wait, the newest stay known. */
const changesKept = 100;

type Secret = { readonly secretId: string; readonly digest: string };

export type AddonSecret = Secret & { readonly addedAt: Instant };

/** A resource of another server that the add-on may ask for. */
export type AllowedAudience = { readonly audience: string; readonly resourceServerId: string | null };

export type AddonState =
  | { readonly status: 'unregistered' }
  | (Registration &
      AddonDetails & {
        readonly status: 'registered' | 'suspended' | 'retired';
        readonly registeredAt: Instant;
        /** All of them are valid: a new one overlaps with the old (AD-02). */
        readonly secrets: readonly AddonSecret[];
        readonly allowedAudiences: readonly AllowedAudience[];
        /** Whose members look after it; null: only operators do. `publisher` is that one's name then. */
        readonly publisherId: string | null;
        /** Whether an operator says that the platform has checked it (PG-08). */
        readonly verified: boolean;
        /** What the publisher's members proposed, oldest first. */
        readonly changes: readonly AddonChange[];
      });

export const addonDecider: Decider<AddonState, AddonEvent> = {
  initial: { status: 'unregistered' },
  evolve: (addon, event) => {
    if (event.type === 'AddonRegistered') {
      const { at: registeredAt, ...registration } = event.data;
      const none = { secrets: [], allowedAudiences: [], publisherId: null, verified: false, changes: [] };
      return { status: 'registered', registeredAt, ...registration, ...noDetails, ...none };
    }
    if (addon.status === 'unregistered') return addon;
    switch (event.type) {
      case 'AddonSecretAdded': {
        const { secretId, digest, at } = event.data;
        return { ...addon, secrets: [...addon.secrets, { secretId, digest, addedAt: at }] };
      }
      case 'AddonSecretRemoved': {
        const { secretId } = event.data;
        return { ...addon, secrets: addon.secrets.filter((secret) => secret.secretId !== secretId) };
      }
      case 'AddonAudienceAllowed': {
        const { at: _at, ...allowed } = event.data;
        return { ...addon, allowedAudiences: [...without(addon, allowed.audience), allowed] };
      }
      case 'AddonAudienceDisallowed':
        return { ...addon, allowedAudiences: without(addon, event.data.audience) };
      case 'AddonSuspended':
        return { ...addon, status: 'suspended' };
      case 'AddonResumed':
        return { ...addon, status: 'registered' };
      case 'AddonUpdated': {
        const { at: _at, ...changes } = event.data;
        return { ...addon, ...given(changes) };
      }
      case 'AddonPropertiesReplaced': {
        const { unset, audiences } = event.data;
        const removed = Object.fromEntries(unset.map((field) => [field, null]));
        return { ...addon, ...removed, ...(audiences && { audiences }) };
      }
      case 'AddonRetired':
        return {
          ...addon,
          status: 'retired',
          changes: addon.changes.map((change) =>
            change.state === 'waiting' ? { ...change, state: 'withdrawn', decidedAt: event.data.at } : change,
          ),
        };
      case 'AddonPublisherSet':
        return { ...addon, publisherId: event.data.publisherId };
      case 'AddonVerificationSet':
        return { ...addon, verified: event.data.verified };
      case 'AddonChangeRequested': {
        const { at, ...proposed } = event.data;
        const change = {
          ...proposed,
          publisherId: addon.publisherId,
          requestedAt: at,
          state: 'waiting',
          decidedAt: null,
          reason: null,
        } as const;
        return { ...addon, changes: newest([...addon.changes, change]) };
      }
      case 'AddonChangeApproved':
        return decided(addon, 'approved', event.data);
      case 'AddonChangeRefused':
        return decided(addon, 'refused', event.data);
      case 'AddonChangeWithdrawn':
        return decided(addon, 'withdrawn', event.data);
    }
  },
};

const newest = (changes: readonly AddonChange[]): readonly AddonChange[] => {
  const done = changes.filter(({ state }) => state !== 'waiting');
  const forgotten = new Set(done.slice(0, Math.max(0, done.length - changesKept)));
  return changes.filter((change) => !forgotten.has(change));
};

const decided = (
  addon: Exclude<AddonState, { readonly status: 'unregistered' }>,
  state: Exclude<AddonChange['state'], 'waiting'>,
  { changeId, at, reason = null }: { changeId: string; at: Instant; reason?: string | null },
): AddonState => ({
  ...addon,
  changes: addon.changes.map((change) =>
    change.changeId === changeId ? { ...change, state, decidedAt: at, reason } : change,
  ),
});

type Given<T> = { readonly [K in keyof T]?: NonNullable<T[K]> };

const given = <T extends object>(changes: T): Given<T> =>
  Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== null)) as Given<T>;

const without = (
  { allowedAudiences }: Pick<Extract<AddonState, { readonly allowedAudiences: unknown }>, 'allowedAudiences'>,
  audience: string,
): readonly AllowedAudience[] => allowedAudiences.filter((allowed) => allowed.audience !== audience);

export type RegisterAddonCommand = Registration & {
  /** The secret of a confidential add-on (AD-02); null for a public one. */
  readonly secret: Secret | null;
  readonly now: Instant;
};

export const registerAddon = (
  addon: AddonState,
  { secret, now, ...registration }: RegisterAddonCommand,
): Decision<AddonEvent, 'already-registered'> => {
  if (addon.status !== 'unregistered') return refuse('already-registered');
  const registered: AddonEvent = { type: 'AddonRegistered', data: { ...registration, at: now } };
  if (!secret) return accept(registered);
  return accept<AddonEvent>(registered, { type: 'AddonSecretAdded', data: { ...secret, at: now } });
};

/** Suspending twice changes nothing (SU-01). */
export const suspendAddon = (
  addon: AddonState,
  { now }: At,
): Decision<AddonEvent, 'addon-unknown' | 'addon-retired'> => {
  if (addon.status === 'unregistered') return refuse('addon-unknown');
  if (addon.status === 'retired') return refuse('addon-retired');
  if (addon.status === 'suspended') return accept();
  return accept({ type: 'AddonSuspended', data: { at: now } });
};

/** Lifts a suspension; an add-on that is not suspended stays as it is. */
export const resumeAddon = (
  addon: AddonState,
  { now }: At,
): Decision<AddonEvent, 'addon-unknown' | 'addon-retired'> => {
  if (addon.status === 'unregistered') return refuse('addon-unknown');
  if (addon.status === 'retired') return refuse('addon-retired');
  if (addon.status === 'registered') return accept();
  return accept({ type: 'AddonResumed', data: { at: now } });
};

/** Permanently ends an add-on (AM-12); its suspension, if any, no longer matters. */
export const retireAddon = (addon: AddonState, { now }: At): Decision<AddonEvent, 'addon-unknown'> => {
  if (addon.status === 'unregistered') return refuse('addon-unknown');
  if (addon.status === 'retired') return accept();
  return accept({ type: 'AddonRetired', data: { at: now } });
};
