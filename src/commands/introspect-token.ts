import { accessTokenDecider } from '../domain/access-token.ts';
import { audienceOf, resourcesAmong } from '../domain/audience.ts';
import type { Instant } from '../domain/decision.ts';
import { addonSubject, fenceSubjectsOf, judgeFence, type Guarded } from '../domain/fence.ts';
import { grantDecider, type GrantTerms } from '../domain/grant.ts';
import { grantStream } from '../domain/streams.ts';
import { makeOpenAccessToken } from './access-token.ts';
import type { AccessTokenClaims, Commands, Introspection } from './commands.ts';
import { openCredential, type OpenedCredential } from './credentials.ts';
import type { GrantNeeds } from './grant-cache.ts';
import { load } from './handle.ts';
import { readTerms } from './open-grant.ts';
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
  /** Whoever asks must be open, too: a suspended resource server learns nothing. */
  const isOpen = async (guarded: Guarded, addonId: string) => {
    const caller = addonSubject(addonId);
    const rows = await needs.fence.read([...fenceSubjectsOf(guarded), caller]);
    return judgeFence(guarded, rows) === null && rows.every((row) => row.subject !== caller || row.open);
  };

  return async ({ addonId, token, audiences }) => {
    const claims = openAccessToken(token);
    const opened = claims ? null : openCredential(needs.keys, 'refresh', token);
    const grantId = claims?.grantId ?? opened?.grantId;
    const terms = grantId === undefined ? null : await readTerms(needs, grantId);
    if (!terms || !mayAsk(terms, claims, addonId, audiences)) return null;
    const described = claims ? await describeAccess(claims) : opened && (await describeRefresh(opened));
    if (!described) return null;
    const { kind, rotation, ...rest } = described;
    return (await isOpen(kind === 'access' ? { ...rest, rotation } : rest, addonId)) ? described : null;
  };
};

/**
 * Its own add-on, or whoever is sent an access token by it; the tokens of others are nobody's business (IN-05). Judged by
 * what never changes: for nobody else the rest of the stream is read (GR-02).
 */
const mayAsk = (
  { addonId: owner, resources }: GrantTerms,
  claims: AccessTokenClaims | null,
  addonId: string,
  audiences: readonly string[],
): boolean =>
  owner === addonId ||
  (claims !== null &&
    resourcesAmong(resources, claims.audience).some((resource) => audiences.includes(resource)));

type Issue = { readonly issuedAt: Instant; readonly resources: readonly string[] };

/** The claims are the token's own. When it was issued, and the names of its resources, the log says; they never change. */
const makeDescribeAccess = ({ store, cache }: GrantNeeds) => {
  const issueOf = async (grantId: string, rotation: number): Promise<Issue | null> => {
    const known = cache.get(grantId)?.state;
    if (known?.status === 'live') {
      const pair = [known.current, known.previous].find((candidate) => candidate?.rotation === rotation);
      if (pair) return { issuedAt: pair.at, resources: known.terms.resources };
    }
    const { state } = await load(store, grantStream(grantId), accessTokenDecider(rotation));
    return state.status === 'issued' ? state : null;
  };
  return async ({ audience, ...claims }: AccessTokenClaims): Promise<Introspection | null> => {
    const issue = await issueOf(claims.grantId, claims.rotation);
    if (!issue) return null;
    const resources = resourcesAmong(issue.resources, audience);
    return { kind: 'access', ...claims, issuedAt: issue.issuedAt, resources };
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
    const resources = audienceOf(grant.terms.resources);
    return { kind: 'refresh', ...claims, issuedAt: grant.current.at, resources };
  };
