import { judgeFence, isClosed, accountSubject } from '../../domain/fence/fence.ts';
import { refuse } from '../../domain/kernel/decision.ts';
import {
  answeredResources,
  answeredScopes,
  dependsOnOutage,
  refreshTokens,
  rejectedForAnother,
  rotationsResumeAt,
  type Refresh,
  type RefreshRefusal,
} from '../../domain/access/grant-refresh.ts';
import type { Grant, GrantEvent } from '../../domain/access/grant.ts';
import type { Scope } from '../../domain/access/scope.ts';
import type { CommandContext } from '../kernel/context.ts';
import { isFrom, verifyCredential, type VerifiedCredential } from '../credentials/credentials.ts';
import type { GrantDependencies } from './grant-cache.ts';
import {
  attemptsAt,
  makeRefuseAfterFenceChange,
  readFence,
  refuseUnreadable,
  rememberGrant,
} from './issuing.ts';
import type { Handled } from '../kernel/handle.ts';
import { isBeyondFirstPage, loadOpened, openGrant } from './open-grant.ts';
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
  const { store, fence, keys, lifetimes, rotationsPerHour, outages, now } = dependencies;
  const refuseAfterFenceChange = makeRefuseAfterFenceChange(dependencies);

  const refresh = async (request: RefreshToken, context?: CommandContext): Promise<Refreshed> => {
    // Verify the token, without any I/O.
    const { addonId, scopes, resources } = request;
    const opened = verifyCredential(keys, 'refresh', request.refreshToken);
    if (!opened) return { ok: false, refusal: 'token-unknown' };
    const { grantId, rotation } = opened;
    const presented = {
      ...request,
      rotation,
      keyId: keys.current,
      salt: newSalt(),
      now: now(),
      rotationsPerHour,
      lifetimes,
    };

    // Load the grant, and judge the caller by its terms, which never change.
    const by = { context, metadata: { actor: `addon:${addonId}` } };
    const grant = await openGrant(dependencies, grantId, isBeyondFirstPage(rotation));
    const { terms } = grant;
    const isForeign = terms !== null && terms.addonId !== addonId;
    const foreign = isForeign
      ? { refusal: 'token-of-another-client' as const, event: rejectedForAnother(presented) }
      : null;
    const loaded = await loadOpened(store, grant, foreign, by);
    if ('refused' in loaded) return { ok: false, refusal: loaded.refused };
    // A grant that is missing must not be decided on if it is there at the next read: its fence was not read.
    if (terms === null || loaded.state.status === 'none') {
      await refuteByGrant(dependencies, opened, loaded.state, provenBy(opened));
      return { ok: false, refusal: 'token-unknown' };
    }

    // Read the facts. An organization's integration outlives its administrator (AC-03, RT-17).
    const rows = await readFence(fence, terms);
    const closed = judgeFence(terms, rows);

    // Decide, and append at the revision that was decided on; after a conflict, load and decide again.
    const attempts = attemptsAt(store, grantId, loaded, by);
    let handled: Handled<Grant, GrantEvent, RefreshRefusal> | null = null;
    while (!handled) {
      const { state } = await attempts.load();
      const isOurs = isRefreshTokenOf(keys, opened, state);
      const isLate = isOurs && outages && dependsOnOutage(state, presented);
      const outage = isLate ? await outages.within(state.current.at, presented.now) : 0;
      const decision = isOurs
        ? refreshTokens(state, { ...presented, fence: closed, outage })
        : refuse('token-unknown');
      // Only the fence, read just now, can change this refusal for a grant that has used up its rotations of this hour:
      // no need to read the stream each time.
      const isFinal = decision.refusal === 'rotated-too-often';
      handled = await attempts.append<RefreshRefusal>(decision, isFinal);
    }
    const { state, refusal } = handled;
    await rememberGrant(dependencies, grantId, handled, rows);
    if (refusal === 'token-unknown' || refusal === 'token-expired')
      await refuteByGrant(dependencies, opened, state, provenBy(opened));
    if (refusal !== undefined) return { ok: false, refusal, ...waitOf(state, presented) };
    if (state.status !== 'live') return { ok: false, refusal: 'grant-revoked' };

    // Read the fence again before the answer (P2).
    const rowsNow = await readFence(fence, terms);
    const closedNow = judgeFence(terms, rowsNow);
    if (closedNow) return refuseAfterFenceChange(state, closedNow, context);
    const answered = {
      ...state.current,
      scopes: answeredScopes(state, scopes),
      resources: answeredResources(state, resources),
    };
    const pair = tokenPairOf(keys, { ...state, current: answered }, presented.now);
    // An organization's grant outlives its administrator's account, but without an enabled account no identity is
    // confirmed (RT-17).
    const userIsDisabled = isClosed(rowsNow, accountSubject(terms.userId));
    return { ok: true, value: userIsDisabled ? { ...pair, identity: null } : pair };
  };

  return (request: RefreshToken, context?: CommandContext): Promise<Refreshed> =>
    refresh(request, context).catch(refuseUnreadable);
};

/** Whole seconds until the grant's tokens may be rotated again, if the limit is the reason. */
const waitOf = (grant: Grant, refresh: Pick<Refresh, 'now' | 'rotationsPerHour'>) => {
  const until = grant.status === 'live' ? rotationsResumeAt(grant, refresh) : null;
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
