import type { GrantEvent } from './grant.ts';

/**
 * Where in the newest events of a grant's stream those begin that decide on it, given the first events, up to the redemption: folded
 * one after the other, both come to the same state as the whole stream (GR-01). Null where more has to be read. That is the newest
 * rotation that has counts with the one before it (or the redemption), or a revocation, which ends every stream.
 */
export const tailStart = (events: readonly GrantEvent[]): number | null => {
  const end = events.findLastIndex(({ type }) => type === 'GrantRevoked');
  if (end >= 0) return end;
  const counting = events.findLastIndex(
    (event) => event.type === 'TokensRefreshed' && event.data.counts !== null,
  );
  if (counting < 0) return null;
  if (events.slice(counting + 1).some(isPair)) return counting;
  const before = events.slice(0, counting).findLastIndex(isPair);
  return before < 0 ? null : before;
};

const isPair = ({ type }: GrantEvent): boolean =>
  type === 'TokensRefreshed' || type === 'AuthorizationCodeRedeemed';
