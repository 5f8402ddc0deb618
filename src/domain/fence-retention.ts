import type { Instant } from './decision.ts';
import type { FenceRow } from './fence.ts';
import type { GrantEvent } from './grant.ts';
import { grantStream } from './streams.ts';

/** No setting makes an access token live longer (milliseconds). */
export const longestAccessToken = 86_400_000;

/** So long a row is kept beyond the end of the last credential that it refuses: more than clocks may be apart (milliseconds). */
export const keptBeyondEnd = 3_600_000;

/** A code is redeemed after two failed proofs at the most: the third burns it. With the code and some room. */
const eventsUntilRedeemed = 8;

/** Which events say when a row of the fence has nothing left to refuse, and what they say. */
export type FenceEnd = {
  readonly stream: ReturnType<typeof grantStream>;
  readonly from: bigint;
  readonly count: number;
  /** @returns when the last credential ends that the row could refuse; null where the events do not say it */
  readonly endIn: (events: readonly GrantEvent[]) => Instant | null;
};

/**
 * Only what closes one grant, or one access token, ever has nothing left to refuse (GR-05). Everything else has epochs that
 * may never begin again, and whatever is issued tomorrow hangs on it.
 * @returns null for a row that is kept for ever
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
 * To the end of the refresh tokens, not only of the access tokens: an instance that knows the grant from before it ended may answer with
 * its newest pair once more, without an append, and only the fence keeps it from that (P2).
 */
const endOfGrant = (events: readonly GrantEvent[]): Instant | null => {
  const [issued] = events;
  if (issued?.type !== 'AuthorizationCodeIssued') return null;
  const redeemed = events.find((event) => event.type === 'AuthorizationCodeRedeemed');
  if (redeemed) return Math.max(issued.data.expiresAt, redeemed.data.refreshAbsoluteExpiresAt);
  return events.length < eventsUntilRedeemed ? issued.data.expiresAt : null;
};

/** It was issued before the event that gave it back. */
const endOfAccessToken = ([event]: readonly GrantEvent[]): Instant | null =>
  event ? event.data.at + longestAccessToken : null;
