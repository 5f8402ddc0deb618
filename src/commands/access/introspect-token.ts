import { audienceOf, ownApi, resourcesAmong } from '../../domain/access/audience.ts';
import type { Instant } from '../../domain/kernel/decision.ts';
import {
  addonSubject,
  fenceSubjectsOf,
  isClosed,
  judgeFence,
  type FenceRefusal,
  type Guarded,
} from '../../domain/fence/fence.ts';
import type { Grant, GrantTerms } from '../../domain/access/grant.ts';
import { grantStream } from '../../domain/streams.ts';
import { StreamUnreadable } from '../../eventstore/event-store.ts';
import { readAddonToken, type AddonTokenClaims } from '../credentials/addon-token-text.ts';
import { makeJudgeAddonToken } from './addon-tokens.ts';
import type { AddonDirectory } from '../addons/find-addon.ts';
import { makeVerifyAccessToken, type AccessTokenClaims } from '../credentials/access-token.ts';
import { verifyCredential, type VerifiedCredential } from '../credentials/credentials.ts';
import type { GrantDependencies } from './dependencies.ts';
import { issuedAt } from './find-rotation.ts';
import type { Known } from '../kernel/handle.ts';
import type { Outcome } from '../kernel/outcome.ts';
import { loadGrant } from './load-grant.ts';
import { readTerms, type OpenedTerms } from './open-grant.ts';
import { provenBy, refuteByGrant } from '../log/proven-log.ts';
import { isRefreshTokenOf } from './refresh-token.ts';
import type { PresentedToken } from './revoke-token.ts';

/** A token that an add-on took for itself, which is valid at this moment. */
export type OwnIntrospection = AddonTokenClaims & { readonly kind: 'own' };

/** A token of a grant that is valid at this moment. */
export type Introspection = Omit<AccessTokenClaims, 'audience'> & {
  readonly kind: 'access' | 'refresh';
  /** Where it may be used; our own API is `ownApi` (domain/audience). */
  readonly resources: readonly string[];
  readonly issuedAt: Instant;
};

export type IntrospectToken = PresentedToken & {
  /** The resources that the add-on serves as a resource server. */
  readonly audiences: readonly string[];
};

/**
 * Tells an add-on what its own token stands for at this moment (RFC 7662), and tells a resource server about access
 * tokens for its resources; null for everybody else, and when the token is not valid (IN-05). The fence is read after
 * the call begins, so every revocation that was answered before is seen (IN-07). Whether a refresh token is the newest
 * of its family is read from the stream, because another instance may have rotated it.
 */
export const makeIntrospectToken = (
  dependencies: GrantDependencies & { readonly addons: Pick<AddonDirectory, 'current'> },
) => {
  const introspectOwn = makeIntrospectOwn(dependencies);
  const openAccessToken = makeVerifyAccessToken(dependencies);
  const describeAccess = makeDescribeAccess(dependencies);
  const describeRefresh = makeDescribeRefresh(dependencies);
  /** The fence must be open for the caller, too: a suspended resource server learns nothing. */
  const isOpen = async (guarded: Guarded, addonId: string) => {
    const caller = addonSubject(addonId);
    const rows = await dependencies.fence.read([...fenceSubjectsOf(guarded), caller]);
    return judgeFence(guarded, rows) === null && !isClosed(rows, caller);
  };

  const introspect = async (
    { addonId, token, audiences }: IntrospectToken,
    claims: AccessTokenClaims | null,
  ): Promise<Introspection | null> => {
    const opened = claims ? null : verifyCredential(dependencies.keys, 'refresh', token);
    const address = claims ?? opened;
    const found = address && (await readTerms(dependencies, address));
    if (!found || !mayAsk(found.terms, claims, addonId, audiences)) return null;
    const { first } = found;
    const described = claims
      ? await describeAccess(claims, first)
      : opened && (await describeRefresh(opened, first));
    if (!described) return null;
    const { kind, rotation, ...rest } = described;
    return (await isOpen(kind === 'access' ? { ...rest, rotation } : rest, addonId)) ? described : null;
  };
  return (asked: IntrospectToken): Promise<Introspection | OwnIntrospection | null> => {
    const claims = openAccessToken(asked.token);
    const own = claims ? null : readAddonToken(dependencies.keys, asked.token);
    return (own ? introspectOwn(own, asked) : introspect(asked, claims)).catch(nothingOnHold);
  };
};

/**
 * The same for a token that an add-on took for itself. A suspension leaves it valid, so its add-on learns about it even
 * while suspended, and a suspended resource server does not.
 */
const makeIntrospectOwn = (
  dependencies: GrantDependencies & { readonly addons: Pick<AddonDirectory, 'current'> },
) => {
  const judge = makeJudgeAddonToken(dependencies);
  return async (
    claims: AddonTokenClaims,
    { addonId, audiences }: IntrospectToken,
  ): Promise<OwnIntrospection | null> => {
    const isOwner = claims.addonId === addonId;
    if (!isOwner && !audiences.includes(ownApi)) return null;
    if (!isOwner && (await dependencies.addons.current(addonId))?.suspended !== false) return null;
    return (await judge(claims)) ? null : { kind: 'own', ...claims };
  };
};

/**
 * What an access token stands for, for whoever holds it. The caller has judged it by the fence: a refusal is what the log
 * has, and the fence not yet.
 */
export const makeDescribeAccessToken = (dependencies: GrantDependencies) => {
  const describeAccess = makeDescribeAccess(dependencies);
  const describe = async (claims: AccessTokenClaims): Promise<Outcome<Introspection, FenceRefusal>> => {
    const found = await readTerms(dependencies, claims);
    const value = found && (await describeAccess(claims, found.first));
    return value ? { ok: true, value } : { ok: false, refusal: 'token-revoked' };
  };
  return (claims: AccessTokenClaims) =>
    describe(claims).catch((error: unknown) => {
      nothingOnHold(error);
      return { ok: false, refusal: 'on-hold' } as const;
    });
};

/** If a grant cannot be read, nobody can say that its tokens are valid. */
const nothingOnHold = (error: unknown): null => {
  if (error instanceof StreamUnreadable) return null;
  throw error;
};

/**
 * Only the token's own add-on and a resource server that the access token is for may ask (IN-05). This is judged by
 * what never changes, so for all others the rest of the stream is not read (GR-02).
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

/**
 * The claims are in the token itself. Its time of issue and the names of its resources come from the log, and never
 * change. Whether it was revoked comes from the fence, which is read after this.
 */
const makeDescribeAccess = (dependencies: GrantDependencies) => {
  const findGrant = makeFindGrant(dependencies);
  return async (
    { audience, ...claims }: AccessTokenClaims,
    first: OpenedTerms['first'],
  ): Promise<Introspection | null> => {
    const { grantId, rotation } = claims;
    const cached = dependencies.cache.get(grantId);
    const isKnown = cached?.state.status === 'live' && rotation <= cached.state.current.rotation;
    const known = cached && isKnown ? cached : await findGrant(grantId, first);
    const { state } = known;
    await refuteByGrant(dependencies, claims, state, provenBy(claims));
    if (state.status !== 'live') return null;
    const at = await issuedAt(dependencies.store, grantStream(grantId), { ...known, state }, rotation);
    if (at === null) return null;
    return {
      kind: 'access',
      ...claims,
      issuedAt: at,
      resources: resourcesAmong(state.terms.resources, audience),
    };
  };
};

/** Only the newest refresh token of a family is active; a superseded one is not, even within its grace (IN-04). */
const makeDescribeRefresh = (dependencies: GrantDependencies) => {
  const { keys, now } = dependencies;
  const findGrant = makeFindGrant(dependencies);
  return async (opened: VerifiedCredential, first: OpenedTerms['first']): Promise<Introspection | null> => {
    const { grantId, rotation } = opened;
    const { state: grant } = await findGrant(grantId, first);
    await refuteByGrant(dependencies, opened, grant, provenBy(opened));
    if (grant.status !== 'live' || grant.current.rotation !== rotation) return null;
    if (!isRefreshTokenOf(keys, opened, grant)) return null;
    const { addonId, userId, subject, scopes } = grant.terms;
    const expiresAt = Math.min(grant.current.refreshIdleExpiresAt, grant.absoluteExpiresAt);
    if (now() >= expiresAt) return null;
    const claims = { grantId, rotation, addonId, userId, subject, scopes, expiresAt };
    const resources = audienceOf(grant.terms.resources);
    return { kind: 'refresh', ...claims, issuedAt: grant.current.at, resources };
  };
};

/** The grant as the log has it at this moment; also stored in the cache. */
const makeFindGrant =
  ({ store, cache }: GrantDependencies) =>
  async (grantId: string, first: OpenedTerms['first']): Promise<Known<Grant>> => {
    const known = await loadGrant(store, grantStream(grantId), { known: cache.get(grantId), first });
    cache.remember(grantId, known);
    return known;
  };
