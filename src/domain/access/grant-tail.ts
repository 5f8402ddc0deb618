import type { GrantEvent } from './grant.ts';

/**
 * A decision needs only part of a grant's stream: the first events, up to the redemption, and then the newest ones.
 * This returns the index of the first event that is needed among the newest events; folding both parts gives the same
 * state as the whole stream (GR-01). That is a revocation, which ends every stream, or the newest rotation with counts,
 * preceded by the rotation before it (or the redemption). Null where more events have to be read.
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
