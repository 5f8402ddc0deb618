import { accept, type Decider, type Decision, type Instant, refuse } from '../kernel/decision.ts';
import type { AllowedScope } from '../access/scope.ts';

export const grantTypes = ['authorization_code', 'refresh_token'] as const;
export type GrantType = (typeof grantTypes)[number];

/** The algorithms that may sign id_tokens; RS256 unless the add-on was registered for ES256 (RFC 7518 §3.1). */
export const idTokenAlgs = ['RS256', 'ES256'] as const;
export type IdTokenAlg = (typeof idTokenAlgs)[number];

/** An add-on as its provider registered it. Registration is an operator's act, never an API call (AD-01). */
export type AddonEvent =
  | {
      readonly type: 'AddonRegistered';
      readonly data: {
        readonly addonId: string;
        readonly name: string;
        readonly redirectUris: readonly string[];
        readonly configurationUrl: string | null;
        readonly allowedScopes: readonly AllowedScope[];
        readonly confidential: boolean;
        /** Empty for a resource server, which only introspects (RFC 7662). */
        readonly grantTypes: readonly GrantType[];
        /** Exact addresses that a browser may be redirected to after a sign-out (RP-Initiated Logout §3). */
        readonly postLogoutRedirectUris: readonly string[];
        readonly idTokenAlg: IdTokenAlg;
        /**
         * Resource indicators (RFC 8707) of the resources that this client serves: it may introspect tokens for them
         * (IN-05).
         */
        readonly audiences: readonly string[];
        readonly at: Instant;
      };
    }
  | {
      /** Digest of a client secret: SHA-256, base64url (the secret itself has 256 random bits; AD-02). */
      readonly type: 'AddonSecretAdded';
      readonly data: { readonly secretId: string; readonly digest: string; readonly at: Instant };
    }
  | {
      /** The secret is no longer valid (AD-02). */
      readonly type: 'AddonSecretRemoved';
      readonly data: { readonly secretId: string; readonly at: Instant };
    }
  | {
      /** An operator allows the add-on to ask for access to this resource of another server (RFC 8707; CL-06). */
      readonly type: 'AddonAudienceAllowed';
      readonly data: {
        readonly audience: string;
        /** The registered resource server of this resource, if there is one: its name is shown to users. */
        readonly resourceServerId: string | null;
        readonly at: Instant;
      };
    }
  | {
      readonly type: 'AddonAudienceDisallowed';
      readonly data: { readonly audience: string; readonly at: Instant };
    }
  | { readonly type: 'AddonSuspended'; readonly data: { readonly at: Instant } }
  | { readonly type: 'AddonResumed'; readonly data: { readonly at: Instant } }
  | {
      /** An operator changed the add-on (AM-12): the new values; null for what stays as it is. */
      readonly type: 'AddonUpdated';
      readonly data: AddonDetails & {
        readonly name: string | null;
        readonly redirectUris: readonly string[] | null;
        readonly configurationUrl: string | null;
        readonly allowedScopes: readonly AllowedScope[] | null;
        readonly postLogoutRedirectUris: readonly string[] | null;
        readonly at: Instant;
      };
    }
  | {
      /** The add-on has ended for good (AM-12). */
      readonly type: 'AddonRetired';
      readonly data: { readonly at: Instant };
    };

/** What people are shown about an add-on besides its name. */
export type AddonDetails = {
  readonly publisher: string | null;
  /** These three are https addresses. */
  readonly website: string | null;
  readonly privacyUrl: string | null;
  readonly supportUrl: string | null;
  readonly logo: Logo | null;
};

export const logoTypes = ['image/png', 'image/jpeg'] as const;
/** `data`: the file in base64, of at most 64 kB. */
export type Logo = { readonly mediaType: (typeof logoTypes)[number]; readonly data: string };

const noDetails: AddonDetails = {
  publisher: null,
  website: null,
  privacyUrl: null,
  supportUrl: null,
  logo: null,
};

export type Registration = Omit<Extract<AddonEvent, { type: 'AddonRegistered' }>['data'], 'at'>;

/** Defaults of the fields that an operator may leave out. */
export const usualRegistration = {
  grantTypes,
  postLogoutRedirectUris: [],
  idTokenAlg: 'RS256',
  audiences: [],
} as const satisfies Partial<Registration>;

type Secret = { readonly secretId: string; readonly digest: string };

/** A valid secret. */
export type AddonSecret = Secret & { readonly addedAt: Instant };

/** A resource of another server that the add-on may ask for. */
export type AllowedAudience = { readonly audience: string; readonly resourceServerId: string | null };

export type AddonState =
  | { readonly status: 'unregistered' }
  | (Registration &
      AddonDetails & {
        readonly status: 'registered' | 'suspended' | 'retired';
        /** All of them are valid: a new one overlaps with the old (AD-02). */
        readonly secrets: readonly AddonSecret[];
        readonly allowedAudiences: readonly AllowedAudience[];
      });

export const addonDecider: Decider<AddonState, AddonEvent> = {
  initial: { status: 'unregistered' },
  evolve: (addon, event) => {
    if (event.type === 'AddonRegistered') {
      const { at: _at, ...registration } = event.data;
      return { status: 'registered', ...registration, ...noDetails, secrets: [], allowedAudiences: [] };
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
  { now }: { readonly now: Instant },
): Decision<AddonEvent, 'addon-unknown' | 'addon-retired'> => {
  if (addon.status === 'unregistered') return refuse('addon-unknown');
  if (addon.status === 'retired') return refuse('addon-retired');
  if (addon.status === 'suspended') return accept();
  return accept({ type: 'AddonSuspended', data: { at: now } });
};

/** Lifts a suspension; an add-on that is not suspended stays as it is. */
export const resumeAddon = (
  addon: AddonState,
  { now }: { readonly now: Instant },
): Decision<AddonEvent, 'addon-unknown' | 'addon-retired'> => {
  if (addon.status === 'unregistered') return refuse('addon-unknown');
  if (addon.status === 'retired') return refuse('addon-retired');
  if (addon.status === 'registered') return accept();
  return accept({ type: 'AddonResumed', data: { at: now } });
};

/** Ends an add-on for good (AM-12); its suspension, if any, no longer matters. */
export const retireAddon = (
  addon: AddonState,
  { now }: { readonly now: Instant },
): Decision<AddonEvent, 'addon-unknown'> => {
  if (addon.status === 'unregistered') return refuse('addon-unknown');
  if (addon.status === 'retired') return accept();
  return accept({ type: 'AddonRetired', data: { at: now } });
};
