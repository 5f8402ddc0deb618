import { withdrawnFrom } from '../../domain/addons/addon-update.ts';
import { judgeFence } from '../../domain/fence/fence.ts';
import { refuse } from '../../domain/kernel/decision.ts';
import {
  exchangeCode,
  failedProof,
  rejection,
  type ExchangeRefusal,
} from '../../domain/access/grant-exchange.ts';
import type { Grant, GrantEvent } from '../../domain/access/grant.ts';
import type { CommandContext } from '../kernel/context.ts';
import { isFrom, verifyCredential } from '../credentials/credentials.ts';
import type { AddonDirectory } from '../addons/find-addon.ts';
import type { GrantDependencies } from './grant-cache.ts';
import {
  attemptsAt,
  disabledSince,
  makeRefuseAfterFenceChange,
  readFence,
  refuseUnreadable,
  rememberGrant,
} from './issuing.ts';
import type { Handled } from '../kernel/handle.ts';
import type { Outcome } from '../kernel/outcome.ts';
import { loadOpened, openGrant } from './open-grant.ts';
import { provenByCode, refuteByGrant } from '../log/proven-log.ts';
import { newSalt, s256 } from '../credentials/secrets.ts';
import { tokenPairOf, type TokenPair } from '../credentials/token-pair.ts';

export type ExchangeCode = {
  readonly addonId: string;
  readonly code: string;
  readonly redirectUri: string;
  readonly codeVerifier: string;
  /** The resources that the access token is for; null asks for all granted ones (RFC 8707 §2.2). */
  readonly resources: readonly string[] | null;
};

type Exchanged = Outcome<TokenPair, ExchangeRefusal>;

/**
 * Redeems a code for its first pair of tokens, once (RFC 6749 §4.1.3). A forged code is refused before any I/O; of many
 * requests with the same code only one append succeeds (TC-09). All refusals but `resource-not-granted` get the same
 * answer (TK-10); the different reasons are for events and operators.
 *
 * With the grant in the cache, that is one append between two reads of the fence and no read of the stream.
 */
export const makeExchangeCode = (
  dependencies: GrantDependencies & { readonly addons: Pick<AddonDirectory, 'current'> },
) => {
  const { store, fence, addons, keys, lifetimes, now } = dependencies;
  const refuseAfterFenceChange = makeRefuseAfterFenceChange(dependencies);

  const exchange = async (request: ExchangeCode, context?: CommandContext): Promise<Exchanged> => {
    // Verify the code, without any I/O.
    const opened = verifyCredential(keys, 'code', request.code);
    if (!opened) return { ok: false, refusal: 'code-unknown' };
    const { grantId } = opened;
    const presented = {
      ...request,
      computedChallenge: s256(request.codeVerifier),
      keyId: keys.current,
      salt: newSalt(),
      now: now(), // time of arrival: a duplicate that had to wait is still a duplicate (TC-12)
      lifetimes,
    };

    // Load the grant, and judge the caller by its terms, which never change.
    const by = { context, metadata: { actor: `addon:${request.addonId}` } };
    const grant = await openGrant(dependencies, grantId, presented.now >= opened.expiresAt);
    const { terms } = grant;
    const isOurs = terms !== null && isFrom(keys, 'code', opened, terms);
    const failure = isOurs ? failedProof(terms, presented) : 'code-unknown';
    const foreign = failure && { refusal: failure, event: rejection(failure, presented.now) };
    const loaded = await loadOpened(store, grant, foreign, by);
    if ('refused' in loaded) return { ok: false, refusal: loaded.refused };
    // A grant that is missing must not be decided on if it is there at the next read: its fence was not read.
    if (terms === null || loaded.state.status === 'none') {
      await refuteByGrant(dependencies, opened, loaded.state, provenByCode);
      return { ok: false, refusal: 'code-unknown' };
    }

    // Read the facts: the fence, and what the add-on of a code may no longer use, from the log now (AM-12).
    const isCode = loaded.state.status === 'code-issued';
    const guarded = { ...terms, needsApprover: true };
    const [rows, addon] = await Promise.all([
      readFence(fence, guarded),
      isCode ? addons.current(terms.addonId) : null,
    ]);
    const closed =
      judgeFence(guarded, rows) ??
      (isCode && (await disabledSince(store, terms, rows)) ? 'account-disabled' : null);
    const withdrawn = addon && withdrawnFrom(addon, terms);

    // Decide, and append at the revision that was decided on; after a conflict, load and decide again.
    const attempts = attemptsAt(store, grantId, loaded, by);
    let handled: Handled<Grant, GrantEvent, ExchangeRefusal> | null = null;
    while (!handled) {
      const { state } = await attempts.load();
      const decision = isOurs
        ? exchangeCode(state, { ...presented, fence: closed, withdrawn })
        : refuse('code-unknown');
      handled = await attempts.append<ExchangeRefusal>(decision);
    }
    const { state, refusal } = handled;
    await rememberGrant(dependencies, grantId, handled, rows);
    if (refusal === 'code-unknown' || refusal === 'code-expired')
      await refuteByGrant(dependencies, opened, state, provenByCode);
    if (refusal !== undefined || state.status !== 'live')
      return { ok: false, refusal: refusal ?? 'grant-revoked' };

    // Read the fence again before the answer (P2).
    const closedNow = judgeFence(guarded, await readFence(fence, guarded));
    if (closedNow) return refuseAfterFenceChange(state, closedNow, context);
    return { ok: true, value: tokenPairOf(keys, state, presented.now) };
  };

  return (request: ExchangeCode, context?: CommandContext): Promise<Exchanged> =>
    exchange(request, context).catch(refuseUnreadable);
};
