import type { GrantEvent } from './grant.ts';

/**
 * The index of the first event needed among a grant's newest, besides its first ones, to fold the same state (GR-01): a revocation,
 * or the newest rotation and the pair before it. Null: more have to be read.
 */
export const tailStart = (events: readonly GrantEvent[]): number | null => {
  const end = events.findLastIndex(({ type }) => type === 'GrantRevoked');
  if (end >= 0) return end;
  const newest = events.findLastIndex(({ type }) => type === 'TokensRefreshed');
  if (newest < 0) return null;
  const before = events.slice(0, newest).findLastIndex(isPair);
  return before < 0 ? null : before;
};

const isPair = ({ type }: GrantEvent): boolean =>
  type === 'TokensRefreshed' || type === 'AuthorizationCodeRedeemed';
