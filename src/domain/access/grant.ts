import type { Decider, Instant } from '../kernel/decision.ts';
import type { EventsIn } from '../describe-event.ts';
import type { GrantData, grantEvents } from './events.ts';
import type { Scope } from './scope.ts';

export type GrantEvent = EventsIn<typeof grantEvents>;
export type GrantRevocationReason = GrantData<'GrantRevoked'>['reason'];

/** What the user approved and the code is bound to (AZ-53); it never changes. */
export type GrantTerms = GrantData<'AuthorizationCodeIssued'>;

/**
 * Whose records a grant opens. An organization's depends on the activation's epoch (AC-03, DE-05), a user's own on the sum of
 * withdrawals and disablings: each ends it.
 */
export type GrantSubject = GrantTerms['subject'];

/** How a user signed in (OpenID Connect Core §2). */
export type Authentication = NonNullable<GrantTerms['authentication']>;

/** One pair of tokens: the exchange's is rotation 0, each refresh makes the next. */
export type Rotation = {
  readonly rotation: number;
  readonly keyId: string;
  readonly salt: string;
  readonly scopes: readonly Scope[];
  readonly at: Instant;
  readonly accessExpiresAt: Instant;
  readonly refreshIdleExpiresAt: Instant;
  /** Until when the predecessor is answered with this pair again (RT-04); the pair of the exchange has no predecessor. */
  readonly graceUntil: Instant;
  /** Resources of the access token; null means all of the grant's. */
  readonly resources: readonly string[] | null;
  /** The pair was withheld because of a suspension: the predecessor is answered with it after the grace, too (SU-01). */
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

/** What may be done with it now: an event ended it, or it can no longer be used, by time or by lack of use. */
export type GrantState = 'active' | 'revoked' | 'expired';

/** When a token of this pair is accepted last: the access token may outlive the refresh token. */
export const usableUntil = (
  pair: Pick<GrantData<'TokensRefreshed'>, 'accessExpiresAt' | 'refreshIdleExpiresAt'>,
): Instant => Math.max(pair.accessExpiresAt, pair.refreshIdleExpiresAt);

const rotated = (grant: LiveGrant, { counts, ...pair }: GrantData<'TokensRefreshed'>): LiveGrant => ({
  ...grant,
  current: { ...pair, withheld: false },
  previous: grant.current,
  rejections: counts.rejections,
  hour: counts.hour,
});

const redeemed = (terms: GrantTerms, data: GrantData<'AuthorizationCodeRedeemed'>): LiveGrant => ({
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
