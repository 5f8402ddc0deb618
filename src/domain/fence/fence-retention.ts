import type { Instant } from '../kernel/decision.ts';
import type { FenceRow } from './fence.ts';
import type { GrantEvent } from '../access/grant.ts';
import { grantStream } from '../streams.ts';

/** The longest lifetime of an access token that settings allow (milliseconds). */
export const longestAccessToken = 86_400_000;

/** How long a row outlives the last credential that it refuses: more than clocks differ (milliseconds). */
export const keptBeyondEnd = 3_600_000;

/** The issue of the code, two failed proofs (the third burns it), and some room. */
const eventsUntilRedeemed = 8;

/** Which events say when a row of the fence has nothing left to refuse, and how to read that from them. */
export type FenceEnd = {
  readonly stream: ReturnType<typeof grantStream>;
  readonly from: bigint;
  readonly count: number;
  /** @returns when the last credential expires that the row could refuse; null where the events do not say it */
  readonly endIn: (events: readonly GrantEvent[]) => Instant | null;
};

/** Only rows of one ended grant or revoked token become useless (GR-05): others hold epochs, which must not start again. Null: permanently. */
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
