import { withdrawnFrom } from '../../domain/addons/addon-update.ts';
import { refuse } from '../../domain/kernel/decision.ts';
import {
  exchangeCode,
  type Exchange,
  failedProof,
  rejection,
  type ExchangeRefusal,
} from '../../domain/access/grant-exchange.ts';
import type { Grant } from '../../domain/access/grant.ts';
import type { CommandContext } from '../kernel/context.ts';
import { isFrom, verifyCredential, type VerifiedCredential } from '../credentials/credentials.ts';
import { makeIssueTokens } from './issue-tokens.ts';
import type { AddonDirectory } from '../addons/find-addon.ts';
import type { GrantDependencies } from './grant-cache.ts';
import type { Outcome } from '../kernel/outcome.ts';
import { provenByCode, refuteByGrant } from '../log/proven-log.ts';
import { newSalt, s256 } from '../credentials/secrets.ts';
import type { TokenKeys } from '../credentials/token-keys.ts';
import { tokenPairOf, type TokenPair } from '../credentials/token-pair.ts';

export type ExchangeCode = {
  readonly addonId: string;
  readonly code: string;
  readonly redirectUri: string;
  readonly codeVerifier: string;
  /** The resources that the access token is for; null asks for all granted ones (RFC 8707 §2.2). */
  readonly resources: readonly string[] | null;
};

/**
 * Redeems a code for its first pair of tokens, once (RFC 6749 §4.1.3). A forged code is refused before any I/O; of many
 * requests with the same code only one append succeeds (TC-09). All refusals but `resource-not-granted` get the same
 * answer (TK-10); the different reasons are for events and operators.
 */
export const makeExchangeCode = (
  dependencies: GrantDependencies & { readonly addons: Pick<AddonDirectory, 'current'> },
) => {
  const { addons, keys, lifetimes, now } = dependencies;
  const issueTokens = makeIssueTokens(dependencies);
  return async (
    { addonId, code, redirectUri, codeVerifier, resources }: ExchangeCode,
    context?: CommandContext,
  ): Promise<Outcome<TokenPair, ExchangeRefusal>> => {
    const opened = verifyCredential(keys, 'code', code);
    if (!opened) return { ok: false, refusal: 'code-unknown' };
    const exchange: Omit<Exchange, 'fence' | 'withdrawn'> = {
      addonId,
      redirectUri,
      codeVerifier,
      resources,
      computedChallenge: s256(codeVerifier),
      keyId: keys.current,
      salt: newSalt(),
      now: now(), // time of arrival: a duplicate that had to wait is still a duplicate (TC-12)
      lifetimes,
    };
    const issued = await issueTokens({
      context,
      grantId: opened.grantId,
      addonId,
      callerRefusalOf: (terms) => {
        const failure = isFrom(keys, 'code', opened, terms) ? failedProof(terms, exchange) : 'code-unknown';
        return failure && { refusal: failure, event: rejection(failure, exchange.now) };
      },
      isLikelyLong: exchange.now >= opened.expiresAt,
      needsApprover: true,
      withdrawnFrom: async (terms) => {
        const addon = await addons.current(terms.addonId);
        return addon && withdrawnFrom(addon, terms);
      },
      decide: (grant, fence, withdrawn) =>
        isCodeOf(keys, opened, grant)
          ? exchangeCode(grant, { ...exchange, fence, withdrawn })
          : refuse('code-unknown'),
    });
    if (issued.ok) return { ok: true, value: tokenPairOf(keys, issued.value.grant, exchange.now) };
    const { refusal, grant } = issued;
    if (grant && (refusal === 'code-unknown' || refusal === 'code-expired'))
      await refuteByGrant(dependencies, opened, grant, provenByCode);
    return { ok: false, refusal };
  };
};

const isCodeOf = (keys: TokenKeys, opened: VerifiedCredential, grant: Grant): boolean =>
  grant.status !== 'none' && isFrom(keys, 'code', opened, grant.terms);
