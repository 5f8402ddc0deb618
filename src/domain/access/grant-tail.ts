import type { GrantEvent } from './grant.ts';

/**
 * The index of the first event needed among a grant's newest, besides its first ones, to fold the same state (GR-01): a revocation,
 * or the newest rotation with counts and the one before it. Null: more have to be read.
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
