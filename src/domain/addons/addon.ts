import { accept, type Decider, type Decision, type Instant, refuse, type At } from '../kernel/decision.ts';
import type { DataIn, EventsIn } from '../describe-event.ts';
import { type addonEvents, grantTypes } from './events.ts';

export type AddonEvent = EventsIn<typeof addonEvents>;
export type Registration = Omit<DataIn<typeof addonEvents, 'AddonRegistered'>, 'at'>;
export type GrantType = Registration['grantTypes'][number];
export type IdTokenAlg = Registration['idTokenAlg'];

export type AddonDetails = Pick<
  DataIn<typeof addonEvents, 'AddonUpdated'>,
  'publisher' | 'website' | 'privacyUrl' | 'supportUrl' | 'logo'
>;
export type Logo = NonNullable<AddonDetails['logo']>;

const noDetails: AddonDetails = {
  publisher: null,
  website: null,
  privacyUrl: null,
  supportUrl: null,
  logo: null,
};

/** Defaults of the fields that an operator may leave out. */
export const usualRegistration = {
  grantTypes,
  postLogoutRedirectUris: [],
  idTokenAlg: 'RS256',
  audiences: [],
} as const satisfies Partial<Registration>;

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
      });

export const addonDecider: Decider<AddonState, AddonEvent> = {
  initial: { status: 'unregistered' },
  evolve: (addon, event) => {
    if (event.type === 'AddonRegistered') {
      const { at: registeredAt, ...registration } = event.data;
      return {
        status: 'registered',
        registeredAt,
        ...registration,
        ...noDetails,
        secrets: [],
        allowedAudiences: [],
      };
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
      case 'AddonRetired':
        return { ...addon, status: 'retired' };
    }
  },
};

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
