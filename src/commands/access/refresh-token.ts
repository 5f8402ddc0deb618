import { refuse } from '../../domain/kernel/decision.ts';
import {
  answeredResources,
  answeredScopes,
  refreshTokens,
  rejectedForAnother,
  rotationsResumeAt,
  type Refresh,
  type RefreshRefusal,
} from '../../domain/access/grant-refresh.ts';
import { type Grant, grantDecider } from '../../domain/access/grant.ts';
import type { Instant } from '../../domain/kernel/decision.ts';
import type { Scope } from '../../domain/access/scope.ts';
import { EventStoreUnavailable } from '../../eventstore/event-store.ts';
import type { CommandContext } from '../kernel/context.ts';
import { isFrom, verifyCredential, type VerifiedCredential } from '../credentials/credentials.ts';
import { makeIssueTokens } from './issue-tokens.ts';
import type { GrantDependencies } from './grant-cache.ts';
import { isBeyondFirstPage } from './open-grant.ts';
import type { Outcome } from '../kernel/outcome.ts';
import { provenBy, refuteByGrant } from '../log/proven-log.ts';
import { newSalt } from '../credentials/secrets.ts';
import type { TokenKeys } from '../credentials/token-keys.ts';
import { tokenPairOf, type TokenPair } from '../credentials/token-pair.ts';

export type RefreshToken = {
  readonly addonId: string;
  readonly refreshToken: string;
  /** Null asks for the grant's full set again (RT-09). */
  readonly scopes: readonly Scope[] | null;
  /** The resources that the access token is for; null asks for all granted ones (RT-15). */
  readonly resources: readonly string[] | null;
};

type Refreshed = Outcome<TokenPair, RefreshRefusal> & {
  /** With `rotated-too-often`: whole seconds to wait. */
  readonly retryAfter?: number;
};

/**
 * Rotates a pair of tokens (RFC 9700 §4.14.2). Requests with the same token within the grace are all answered with the
 * same successor (RT-04), on every instance, because it is derived and not stored. All refusals but `scope-too-wide`
 * and `resource-not-granted` get the same answer (TK-10); the different reasons are for events and operators.
 */
export const makeRefreshToken = (dependencies: GrantDependencies) => {
  const { keys, lifetimes, now } = dependencies;
  const { outages } = dependencies;
  const issueTokens = makeIssueTokens(dependencies);
  const outageSince = async (grant: Grant | undefined, until: Instant): Promise<number> =>
    outages && grant?.status === 'live' ? outages.within(grant.current.at, until) : 0;
  return async (
    { addonId, refreshToken, scopes, resources }: RefreshToken,
    context?: CommandContext,
  ): Promise<Refreshed> => {
    const opened = verifyCredential(keys, 'refresh', refreshToken);
    if (!opened) return { ok: false, refusal: 'token-unknown' };
    const refresh: Omit<Refresh, 'fence' | 'outage'> = {
      addonId,
      rotation: opened.rotation,
      scopes,
      resources,
      keyId: keys.current,
      salt: newSalt(),
      now: now(),
      rotationsPerHour: dependencies.rotationsPerHour,
      lifetimes,
    };
    const issue = (outage: number | null) =>
      issueTokens({
        context,
        grantId: opened.grantId,
        addonId,
        callerRefusalOf: (terms) =>
          terms.addonId === addonId
            ? null
            : { refusal: 'token-of-another-client', event: rejectedForAnother(refresh) },
        isLikelyLong: isBeyondFirstPage(opened.rotation),
        needsApprover: false, // an organization's integration outlives its administrator (AC-03, RT-17)
        decide: (grant, fence) =>
          isRefreshTokenOf(keys, opened, grant)
            ? refreshTokens(grant, { ...refresh, fence, outage })
            : refuse('token-unknown'),
      });
    let issued = await issue(outages ? null : 0);
    if (!issued.ok && issued.refusal === 'outage-not-asked')
      issued = await issue(await outageSince(issued.grant, refresh.now));
    if (!issued.ok) {
      const { refusal, grant } = issued;
      if (refusal === 'outage-not-asked')
        throw new EventStoreUnavailable('the duration of the outage is unknown');
      if (refusal === 'token-unknown' || refusal === 'token-expired')
        await refuteByGrant(dependencies, opened, grant ?? grantDecider.initial, provenBy(opened));
      return { ok: false, refusal, ...waitOf(grant, refresh) };
    }
    const { grant, userIsDisabled } = issued.value;
    const { current } = grant;
    const answered = {
      ...current,
      scopes: answeredScopes(grant, scopes),
      resources: answeredResources(grant, resources),
    };
    const pair = tokenPairOf(keys, { ...grant, current: answered }, refresh.now);
    // An organization's grant outlives its administrator's account, but without an enabled account no identity is
    // confirmed (RT-17).
    return { ok: true, value: userIsDisabled ? { ...pair, identity: null } : pair };
  };
};

/** Whole seconds until the grant's tokens may be rotated again, if the limit is the reason. */
const waitOf = (grant: Grant | undefined, refresh: Pick<Refresh, 'now' | 'rotationsPerHour'>) => {
  const until = grant?.status === 'live' ? rotationsResumeAt(grant, refresh) : null;
  return until !== null && { retryAfter: Math.ceil((until - refresh.now) / 1000) };
};

/**
 * The salts of the last two pairs are known. For older tokens only the tag is checked: they are always refused as
 * reused.
 */
export const isRefreshTokenOf = (keys: TokenKeys, opened: VerifiedCredential, grant: Grant): boolean => {
  if (grant.status !== 'live') return true;
  const pair = [grant.current, grant.previous].find((known) => known?.rotation === opened.rotation);
  return !pair || isFrom(keys, 'refresh', opened, pair);
};
