import { accessTokenDecider } from '../domain/access-token.ts';
import type { Instant } from '../domain/decision.ts';
import { fenceSubjectsOf, judgeFence, type Guarded } from '../domain/fence.ts';
import { grantDecider } from '../domain/grant.ts';
import { grantStream } from '../domain/streams.ts';
import { makeOpenAccessToken } from './access-token.ts';
import type { AccessTokenClaims, Commands, Introspection } from './commands.ts';
import { openCredential, type OpenedCredential } from './credentials.ts';
import type { GrantNeeds } from './grant-cache.ts';
import { load } from './handle.ts';
import { isRefreshTokenOf } from './refresh-token.ts';

/**
 * Tells an add-on what its own token stands for at this moment (RFC 7662). The fence is read after the call, so that
 * every revocation that was answered before it is seen (IN-07); a refresh token's place in its family is read from the
 * stream, because another instance may have rotated it.
 */
export const makeIntrospectToken = (needs: GrantNeeds): Commands['introspectToken'] => {
  const openAccessToken = makeOpenAccessToken(needs);
  const describeAccess = makeDescribeAccess(needs);
  const describeRefresh = makeDescribeRefresh(needs);
  const isOpen = async (guarded: Guarded) =>
    judgeFence(guarded, await needs.fence.read(fenceSubjectsOf(guarded))) === null;

  return async ({ addonId, token }) => {
    const claims = openAccessToken(token);
    const opened = claims ? null : openCredential(needs.keys, 'refresh', token);
    const described = claims ? await describeAccess(claims) : opened && (await describeRefresh(opened));
    if (described?.addonId !== addonId) return null; // the tokens of others are nobody's business (IN-05)
    const { kind, rotation, ...rest } = described;
    return (await isOpen(kind === 'access' ? { ...rest, rotation } : rest)) ? described : null;
  };
};

/** The claims are the token's own. Only when it was issued is for the log to say, and that never changes. */
const makeDescribeAccess = ({ store, cache }: GrantNeeds) => {
  const issuedAtOf = async (grantId: string, rotation: number): Promise<Instant | null> => {
    const known = cache.get(grantId)?.state;
    const pairs = known?.status === 'live' ? [known.current, known.previous] : [];
    const pair = pairs.find((candidate) => candidate?.rotation === rotation);
    if (pair) return pair.at;
    const { state } = await load(store, grantStream(grantId), accessTokenDecider(rotation));
    return state.status === 'issued' ? state.issuedAt : null;
  };
  return async (claims: AccessTokenClaims): Promise<Introspection | null> => {
    const issuedAt = await issuedAtOf(claims.grantId, claims.rotation);
    return issuedAt === null ? null : { kind: 'access', ...claims, issuedAt };
  };
};

/** Only the newest one of a family is a token; what was superseded is none, its grace notwithstanding (IN-04). */
const makeDescribeRefresh =
  ({ store, keys, now }: GrantNeeds) =>
  async (opened: OpenedCredential): Promise<Introspection | null> => {
    const { grantId, rotation } = opened;
    const { state: grant } = await load(store, grantStream(grantId), grantDecider);
    if (grant.status !== 'live' || grant.current.rotation !== rotation) return null;
    if (!isRefreshTokenOf(keys, opened, grant)) return null;
    const { addonId, userId, subject, scopes } = grant.terms;
    const expiresAt = Math.min(grant.current.refreshIdleExpiresAt, grant.absoluteExpiresAt);
    if (now() >= expiresAt) return null;
    const claims = { grantId, rotation, addonId, userId, subject, scopes, expiresAt };
    return { kind: 'refresh', ...claims, issuedAt: grant.current.at };
  };
