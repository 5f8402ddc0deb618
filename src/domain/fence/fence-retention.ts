import type { Instant } from '../kernel/decision.ts';
import type { FenceRow } from './fence.ts';
import type { GrantEvent } from '../access/grant.ts';
import { grantStream } from '../streams.ts';

/** The longest lifetime of an access token that settings allow (milliseconds). */
export const longestAccessToken = 86_400_000;

/**
 * How long a row is kept after the last credential that it refuses has expired: more than clocks may differ
 * (milliseconds).
 */
export const keptBeyondEnd = 3_600_000;

/**
 * At most two failed proofs come before the redemption: the third burns the code. The issue of the code counts too, and
 * there is some room.
 */
const eventsUntilRedeemed = 8;

/** Which events say when a row of the fence has nothing left to refuse, and how to read that from them. */
export type FenceEnd = {
  readonly stream: ReturnType<typeof grantStream>;
  readonly from: bigint;
  readonly count: number;
  /** @returns when the last credential expires that the row could refuse; null where the events do not say it */
  readonly endIn: (events: readonly GrantEvent[]) => Instant | null;
};

/**
 * Only the row of one ended grant or one revoked access token can ever become useless (GR-05). All other rows hold
 * epochs, which must never start again from 0, and tokens issued tomorrow depend on them.
 * @returns null for a row that is kept permanently
 */
export const fenceEndOf = ({ subject, revision, open }: Omit<FenceRow, 'epoch'>): FenceEnd | null => {
  const [, kind, grantId] = /^(grant|access):([^.]+)/.exec(subject) ?? [];
  if (open || kind === undefined || grantId === undefined) return null;
  const stream = grantStream(grantId);
  return kind === 'grant'
    ? { stream, from: 0n, count: eventsUntilRedeemed, endIn: endOfGrant }
    : { stream, from: revision, count: 1, endIn: endOfAccessToken };
};

/**
 * The row is kept until the refresh tokens expire, not only the access tokens. An instance that read the grant before
 * it ended may still answer with its newest pair, without an append, and only the fence prevents that (P2).
 */
const endOfGrant = (events: readonly GrantEvent[]): Instant | null => {
  const [issued] = events;
  if (issued?.type !== 'AuthorizationCodeIssued') return null;
  const redeemed = events.find((event) => event.type === 'AuthorizationCodeRedeemed');
  if (redeemed) return Math.max(issued.data.expiresAt, redeemed.data.refreshAbsoluteExpiresAt);
  return events.length < eventsUntilRedeemed ? issued.data.expiresAt : null;
};

/** The token was issued before the event that revoked it. */
const endOfAccessToken = ([event]: readonly GrantEvent[]): Instant | null =>
  event ? event.data.at + longestAccessToken : null;
