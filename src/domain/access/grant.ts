import type { Decider, Instant } from '../kernel/decision.ts';
import type { Scope } from './scope.ts';

/**
 * Whose records a grant opens. An organization's grant depends on the activation's epoch (AC-03, DE-05). A user's own
 * grant depends on the sum of two counts, how often the user withdrew the consent and how often the account was
 * disabled: each of them ends it.
 */
export type GrantSubject =
  | { readonly kind: 'organization'; readonly organizationId: string; readonly epoch: number }
  | { readonly kind: 'user'; readonly userId: string; readonly epoch: number };

export const grantRevocationReasons = [
  'addon-deactivated',
  'code-replayed',
  'refresh-token-reused',
  'too-many-failed-proofs',
  'revoked-by-addon',
  'revoked-by-operator',
  'consent-withdrawn',
  'account-disabled',
  'scope-removed',
  'redirect-uri-removed',
  'role-lost',
  'addon-retired',
] as const;
export type GrantRevocationReason = (typeof grantRevocationReasons)[number];

/** How a user signed in (OpenID Connect Core §2). */
export type Authentication = { readonly acr: string | null; readonly amr: readonly string[] | null };

/**
 * One authorization from code to end, in one stream: the expected revision then guarantees that a code works once and
 * that a used refresh token is detected. `salt` (16 random bytes, base64url) and `keyId` let the server derive the
 * credentials again; neither is usable without the server's key.
 */
export type GrantEvent =
  | {
      readonly type: 'AuthorizationCodeIssued';
      readonly data: {
        readonly grantId: string;
        readonly addonId: string;
        /** The user who approved: the actor, and the subject of an id_token. */
        readonly userId: string;
        readonly subject: GrantSubject;
        readonly scopes: readonly Scope[];
        /** Null in events from before `profile` and `email`: `openid` stood for all three. */
        readonly exact: true | null;
        readonly redirectUri: string;
        readonly codeChallenge: string;
        readonly nonce: string | null;
        /** RFC 8707 §2; empty means our own API. */
        readonly resources: readonly string[];
        readonly authTime: Instant;
        /** What the user's provider says about the sign-in; null where there is none. */
        readonly authentication: Authentication | null;
        readonly keyId: string;
        readonly salt: string;
        readonly at: Instant;
        readonly expiresAt: Instant;
      };
    }
  | {
      readonly type: 'AuthorizationCodeRedeemed';
      readonly data: {
        readonly keyId: string;
        readonly salt: string;
        readonly at: Instant;
        readonly accessExpiresAt: Instant;
        readonly refreshIdleExpiresAt: Instant;
        /** Does not change with a refresh (RT-13). */
        readonly refreshAbsoluteExpiresAt: Instant;
        /** The resources that the access token is narrowed to; null means all of the grant's (RT-15). */
        readonly resources: readonly string[] | null;
      };
    }
  | {
      readonly type: 'CodeExchangeRejected';
      readonly data: { readonly reason: string; readonly at: Instant };
    }
  | { readonly type: 'AuthorizationCodeReplayed'; readonly data: { readonly at: Instant } }
  | {
      readonly type: 'TokensRefreshed';
      readonly data: {
        /** 1 for the first refresh; the pair of the exchange is rotation 0. */
        readonly rotation: number;
        readonly keyId: string;
        readonly salt: string;
        /** Scopes of the access token; the refresh token keeps the grant's (RT-09). */
        readonly scopes: readonly Scope[];
        readonly at: Instant;
        readonly accessExpiresAt: Instant;
        readonly refreshIdleExpiresAt: Instant;
        /** Until when the predecessor may ask for this same pair again (RT-04). */
        readonly graceUntil: Instant;
        /** The resources that the access token is narrowed to; null means all of the grant's (RT-15). */
        readonly resources: readonly string[] | null;
        /** Null in older events, which do not have it. */
        readonly counts: GrantCounts | null;
      };
    }
  | {
      /**
       * A client asked for the pair and it was withheld because the add-on was suspended: the predecessor may ask again
       * later (SU-01).
       */
      readonly type: 'TokensWithheld';
      readonly data: { readonly rotation: number; readonly at: Instant };
    }
  | {
      readonly type: 'RefreshRejected';
      readonly data: { readonly rotation: number; readonly reason: string; readonly at: Instant };
    }
  | {
      readonly type: 'RefreshTokenReused';
      readonly data: { readonly rotation: number; readonly at: Instant };
    }
  | {
      readonly type: 'AccessTokenRevoked';
      readonly data: { readonly rotation: number; readonly at: Instant };
    }
  | {
      readonly type: 'GrantRevoked';
      readonly data: { readonly reason: GrantRevocationReason; readonly at: Instant };
    };

/**
 * Counts that the decisions on a grant need, up to and including a rotation, so that only the newest rotations and the
 * events after them have to be read (GR-01). Put here whatever a decision needs and neither the first events nor the
 * last two rotations contain.
 */
export type GrantCounts = {
  /** As in LiveGrant. */
  readonly rejections: number;
  readonly hour: RotationHour;
};

type DataOf<T extends GrantEvent['type']> = Extract<GrantEvent, { readonly type: T }>['data'];

/** What the user approved and the code is bound to (AZ-53); it never changes. */
export type GrantTerms = DataOf<'AuthorizationCodeIssued'>;

/** One pair of tokens: the exchange's is rotation 0, each refresh makes the next. */
export type Rotation = {
  readonly rotation: number;
  readonly keyId: string;
  readonly salt: string;
  readonly scopes: readonly Scope[];
  /** When it was issued. */
  readonly at: Instant;
  readonly accessExpiresAt: Instant;
  readonly refreshIdleExpiresAt: Instant;
  /**
   * Until when the predecessor is answered with this pair again (RT-04); the pair of the exchange has no predecessor.
   */
  readonly graceUntil: Instant;
  /** Resources of the access token; null means all of the grant's. */
  readonly resources: readonly string[] | null;
  /**
   * The pair was withheld because of a suspension: the predecessor is answered with it after the grace, too (SU-01).
   */
  readonly withheld: boolean;
};

/** `rejections` counts the recorded refusals, so that nobody can fill a stream with requests. */
export type Grant =
  | { readonly status: 'none' }
  | { readonly status: 'code-issued'; readonly terms: GrantTerms; readonly rejections: number }
  | LiveGrant
  | { readonly status: 'revoked'; readonly terms: GrantTerms; readonly reason: GrantRevocationReason };

export type LiveGrant = {
  readonly status: 'live';
  readonly terms: GrantTerms;
  readonly rejections: number;
  readonly redeemedAt: Instant;
  readonly absoluteExpiresAt: Instant;
  readonly current: Rotation;
  /** The pair before the current one; null right after the exchange. */
  readonly previous: Rotation | null;
  /** The hour in which rotations are counted (GR-03): it begins with the first rotation after the previous hour. */
  readonly hour: RotationHour;
};

export type RotationHour = { readonly began: Instant; readonly rotations: number };

export const hourLength = 3_600_000;

export const counted = ({ began, rotations }: RotationHour, at: Instant): RotationHour =>
  at < began + hourLength ? { began, rotations: rotations + 1 } : { began: at, rotations: 1 };

/** Folds a grant's stream. An event that is impossible in the current state changes nothing. */
export const grantDecider: Decider<Grant, GrantEvent> = { initial: { status: 'none' }, evolve };

function evolve(grant: Grant, event: GrantEvent): Grant {
  switch (event.type) {
    case 'AuthorizationCodeIssued':
      return { status: 'code-issued', terms: event.data, rejections: 0 };
    case 'AuthorizationCodeRedeemed':
      return grant.status === 'code-issued' ? redeemed(grant.terms, event.data) : grant;
    case 'TokensRefreshed':
      return grant.status === 'live' ? rotated(grant, event.data) : grant;
    case 'TokensWithheld':
      return grant.status === 'live' && grant.current.rotation === event.data.rotation
        ? { ...grant, current: { ...grant.current, withheld: true } }
        : grant;
    case 'CodeExchangeRejected':
    case 'RefreshRejected':
      return 'rejections' in grant ? { ...grant, rejections: grant.rejections + 1 } : grant;
    case 'GrantRevoked':
      return 'terms' in grant ? { status: 'revoked', terms: grant.terms, reason: event.data.reason } : grant;
    case 'AuthorizationCodeReplayed':
    case 'RefreshTokenReused':
    case 'AccessTokenRevoked':
      return grant; // a GrantRevoked follows the first two; the fence holds the third (RV-05)
  }
}

const rotated = (grant: LiveGrant, { counts, ...pair }: DataOf<'TokensRefreshed'>): LiveGrant => ({
  ...grant,
  // An older version, which knows only `openid`, writes it for less than all that it stood for.
  current: {
    ...pair,
    scopes: pair.scopes.filter((scope) => grant.terms.scopes.includes(scope)),
    withheld: false,
  },
  previous: grant.current,
  rejections: counts?.rejections ?? grant.rejections,
  hour: counts?.hour ?? counted(grant.hour, pair.at),
});

const redeemed = (terms: GrantTerms, data: DataOf<'AuthorizationCodeRedeemed'>): LiveGrant => ({
  status: 'live',
  terms,
  rejections: 0,
  redeemedAt: data.at,
  absoluteExpiresAt: data.refreshAbsoluteExpiresAt,
  current: {
    rotation: 0,
    keyId: data.keyId,
    salt: data.salt,
    scopes: terms.scopes,
    at: data.at,
    accessExpiresAt: data.accessExpiresAt,
    refreshIdleExpiresAt: data.refreshIdleExpiresAt,
    graceUntil: data.at,
    resources: data.resources,
    withheld: false,
  },
  previous: null,
  hour: { began: data.at, rotations: 0 },
});
