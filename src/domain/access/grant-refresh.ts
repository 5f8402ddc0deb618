import { audienceOf, isWithinAudience } from './audience.ts';
import { accept, refuse, type Decision, type Instant } from '../kernel/decision.ts';
import { asGrantRefusal, type FenceRefusal } from '../fence/fence.ts';
import { counted, type Grant, type GrantEvent, hourLength, type LiveGrant } from './grant.ts';
import { isWithin, type Scope } from './scope.ts';

export type RefreshRefusal =
  | 'token-unknown'
  | 'token-of-another-client'
  | 'token-expired'
  | 'token-reused'
  | 'grant-revoked'
  | 'scope-too-wide'
  | 'addon-deactivated'
  | 'addon-suspended'
  | 'account-disabled'
  | 'consent-withdrawn'
  | 'on-hold'
  | 'resource-not-granted'
  | 'rotated-too-often';

export type Refresh = {
  readonly addonId: string;
  readonly rotation: number;
  /** Null asks for all granted scopes (RT-09). */
  readonly scopes: readonly Scope[] | null;
  /** The resources that the access token is for; null asks for all granted ones (RT-15). */
  readonly resources: readonly string[] | null;
  /** Of the pair to be issued. The salt is random, so it also tells the refresh of this request from any other. */
  readonly keyId: string;
  readonly salt: string;
  readonly now: Instant;
  /** The answer of the fence before the decision, or null. */
  readonly fence: FenceRefusal | null;
  /** Allowed rotations of one grant within an hour; 0 is no limit (GR-03). */
  readonly rotationsPerHour: number;
  /** Milliseconds. */
  readonly lifetimes: {
    readonly accessToken: number;
    readonly refreshIdle: number;
    /** How long the predecessor is answered with the same pair again; 0 is strict single use (RT-04, RT-07). */
    readonly refreshGrace: number;
    /** The most of an outage that does not count towards the grace (OP-10). */
    readonly refreshGraceOutage: number;
  };
  /** Milliseconds of outage since the current pair was issued, where the decision depends on it; 0 otherwise. */
  readonly outage: number;
};

/** Refusals for a foreign client are recorded (RT-12), up to this many: nobody may fill a stream with them. */
const rejectionsRemembered = 10;

type Decided = Decision<GrantEvent, RefreshRefusal>;

/** Rotates the pair (RFC 9700 §4.14.2); without events, the current one is the answer again. Only a reuse changes the family (RT-11). */
export function refreshTokens(grant: Grant, refresh: Refresh): Decided {
  if (grant.status === 'revoked') return refuse('grant-revoked');
  if (grant.status !== 'live') return refuse('token-unknown');
  if (refresh.addonId !== grant.terms.addonId) return foreign(grant, refresh);
  const generation = grant.current.rotation - refresh.rotation;
  if (generation < 0) return refuse('token-unknown');
  if (generation === 0) return rotate(grant, refresh);
  if (generation === 1) return superseded(grant, refresh);
  // The successor that this request made was already used, by another request that was answered with it.
  return grant.previous?.salt === refresh.salt ? refuse('token-reused') : reuse(refresh);
}

const foreign = ({ rejections }: LiveGrant, refresh: Refresh): Decided =>
  refuse(
    'token-of-another-client',
    ...(rejections < rejectionsRemembered ? [rejectedForAnother(refresh)] : []),
  );

/** The event for a refresh by another client than the grant's. */
export const rejectedForAnother = ({ rotation, now }: Pick<Refresh, 'rotation' | 'now'>): GrantEvent => ({
  type: 'RefreshRejected',
  data: { rotation, reason: 'token-of-another-client', at: now },
});

const rotate = (grant: LiveGrant, refresh: Refresh): Decided => {
  const { now, keyId, salt, lifetimes } = refresh;
  const { current, absoluteExpiresAt, terms } = grant;
  if (now >= current.refreshIdleExpiresAt || now >= absoluteExpiresAt) return refuse('token-expired');
  const refusal = refusalOf(grant, refresh);
  if (refusal) return refuse(refusal);
  // The last check, and it records nothing: the family stays valid, and the same token works when the hour is over.
  if (rotationsResumeAt(grant, refresh) !== null) return refuse('rotated-too-often');
  return accept({
    type: 'TokensRefreshed',
    data: {
      rotation: current.rotation + 1,
      keyId,
      salt,
      scopes: refresh.scopes ?? terms.scopes,
      at: now,
      accessExpiresAt: Math.min(now + lifetimes.accessToken, absoluteExpiresAt),
      refreshIdleExpiresAt: Math.min(now + lifetimes.refreshIdle, absoluteExpiresAt),
      graceUntil: now + lifetimes.refreshGrace,
      resources: refresh.resources,
      counts: { rejections: grant.rejections, hour: counted(grant.hour, now) },
    },
  });
};

/** When the next rotation is allowed; null when it is allowed now. A repeat within the grace is no rotation. */
export const rotationsResumeAt = (
  { hour }: LiveGrant,
  { now, rotationsPerHour }: Pick<Refresh, 'now' | 'rotationsPerHour'>,
): Instant | null => {
  const end = hour.began + hourLength;
  return rotationsPerHour > 0 && hour.rotations >= rotationsPerHour && now < end ? end : null;
};

/** The successor is unused as long as it is the current one: its first use makes the next rotation (RT-05). */
const superseded = (grant: LiveGrant, refresh: Refresh): Decided => {
  const { graceUntil, refreshIdleExpiresAt } = grant.current;
  if (isPastGrace(grant, refresh) && refresh.now - uncounted(refresh) >= graceUntil) return reuse(refresh);
  // The successor has expired too (RT-13).
  if (refresh.now >= Math.min(refreshIdleExpiresAt, grant.absoluteExpiresAt)) return refuse('token-expired');
  const refusal = refusalOf(grant, refresh);
  if (refusal === 'addon-suspended' || refusal === 'on-hold')
    return refuse(
      refusal,
      ...withholdTokens(grant, { rotation: grant.current.rotation, now: refresh.now }).events,
    );
  if (refusal) return refuse(refusal);
  const nothingLeft = answeredScopes(grant, refresh.scopes).length === 0;
  if (nothingLeft && refresh.scopes?.length) return refuse('scope-too-wide');
  const somewhere = answeredResources(grant, refresh.resources)?.length !== 0;
  return somewhere ? accept() : refuse('resource-not-granted');
};

const isPastGrace = (
  { current: { salt, graceUntil, withheld } }: LiveGrant,
  refresh: Pick<Refresh, 'salt' | 'now'>,
): boolean => {
  const ours = salt === refresh.salt; // an append with unknown outcome did succeed (TC-14)
  return !ours && !withheld && refresh.now >= graceUntil;
};

/** An outage, in which nobody could ask for the successor, does not count towards the grace, up to a limit (OP-10). */
const uncounted = ({ outage, lifetimes }: Refresh): number => Math.min(outage, lifetimes.refreshGraceOutage);

/** Whether the decision depends on how long an outage took: the caller has to look that up first. */
export const dependsOnOutage = (
  grant: Grant,
  refresh: Omit<Refresh, 'fence' | 'outage'>,
): grant is LiveGrant =>
  grant.status === 'live' &&
  grant.terms.addonId === refresh.addonId &&
  grant.current.rotation - refresh.rotation === 1 &&
  isPastGrace(grant, refresh) &&
  refresh.now < grant.current.graceUntil + refresh.lifetimes.refreshGraceOutage;

/** Records, once, that a pair was withheld by a suspension or hold: afterwards its predecessor gets it, however late, until it is used (SU-01). */
export function withholdTokens(
  grant: Grant,
  { rotation, now }: { readonly rotation: number; readonly now: Instant },
): Decision<GrantEvent> {
  if (grant.status !== 'live' || rotation === 0 || grant.current.rotation !== rotation) return accept();
  if (grant.current.withheld) return accept();
  return accept({ type: 'TokensWithheld', data: { rotation, at: now } });
}

/** The answered token's scopes (RT-09): of a repeat within the grace, what it asks for and the pair has, never more than the log says (RT-04). */
export const answeredScopes = ({ current }: LiveGrant, asked: readonly Scope[] | null): readonly Scope[] =>
  asked ? current.scopes.filter((scope) => asked.includes(scope)) : current.scopes;

/** The same for where the access token may be used (RT-15); null means at all granted resources. */
export const answeredResources = (
  { terms, current }: LiveGrant,
  asked: readonly string[] | null,
): readonly string[] | null =>
  asked
    ? (current.resources ?? audienceOf(terms.resources)).filter((resource) => asked.includes(resource))
    : current.resources;

const reuse = ({ rotation, now }: Refresh): Decided =>
  refuse(
    'token-reused',
    { type: 'RefreshTokenReused', data: { rotation, at: now } },
    { type: 'GrantRevoked', data: { reason: 'refresh-token-reused', at: now } },
  );

const refusalOf = ({ terms }: LiveGrant, { scopes, resources, fence }: Refresh): RefreshRefusal | null => {
  if (scopes && !isWithin(scopes, terms.scopes)) return 'scope-too-wide';
  if (!isWithinAudience(resources, terms.resources)) return 'resource-not-granted';
  return fence && asGrantRefusal(fence);
};
