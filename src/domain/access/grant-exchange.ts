import type { Withdrawn } from '../addons/addon-update.ts';
import { isWithinAudience } from './audience.ts';
import { accept, refuse, type Decision, type Instant } from '../kernel/decision.ts';
import { asGrantRefusal, type FenceRefusal } from '../fence/fence.ts';
import type { Grant, GrantEvent, GrantTerms, LiveGrant } from './grant.ts';
import { isCodeVerifier, isSameChallenge } from './pkce.ts';

export type ExchangeRefusal =
  | 'code-unknown'
  | 'code-of-another-client'
  | 'redirect-uri-mismatch'
  | 'verifier-mismatch'
  | 'code-expired'
  | 'code-already-redeemed'
  | 'grant-revoked'
  | 'addon-deactivated'
  | 'addon-suspended'
  | 'account-disabled'
  | 'consent-withdrawn'
  | 'on-hold'
  | 'resource-not-granted'
  | Withdrawn;

export type Exchange = {
  readonly addonId: string;
  readonly redirectUri: string;
  readonly codeVerifier: string;
  /** BASE64URL(SHA-256(codeVerifier)), computed by the shell: the domain contains no cryptography. */
  readonly computedChallenge: string;
  /** The resources that the access token is for; null asks for all granted ones (RFC 8707 §2.2). */
  readonly resources: readonly string[] | null;
  /** Of the pair to be issued. The salt is random, so it also tells the redemption of this request from any other. */
  readonly keyId: string;
  readonly salt: string;
  readonly now: Instant;
  /** The answer of the fence before the decision, or null. */
  readonly fence: FenceRefusal | null;
  /** What the add-on may no longer use, of what the code was issued for; null if nothing (AM-12). */
  readonly withdrawn: Withdrawn | null;
  /** Milliseconds. */
  readonly lifetimes: {
    readonly accessToken: number;
    readonly refreshIdle: number;
    readonly refreshAbsolute: number;
    /** A duplicate that arrives this soon after the winner is a retry storm, not theft (TC-12). */
    readonly replayTolerance: number;
  };
};

/** This many failed proofs burn a code that was not redeemed (TC-13). */
const proofsAllowed = 3;

/** Failed proofs of a redeemed code are recorded, up to this many: nobody may fill a stream with them (TC-11). */
const rejectionsRemembered = 10;

type Decided = Decision<GrantEvent, ExchangeRefusal>;

/** Redeems a code once (RFC 6749 §4.1.3), with the checks in the order of the requirements (2.4). */
export function exchangeCode(grant: Grant, exchange: Exchange): Decided {
  if (grant.status === 'none') return refuse('code-unknown');
  if (grant.status === 'revoked') return refuse('grant-revoked');
  const failure = failedProof(grant.terms, exchange);
  if (grant.status === 'live')
    return failure ? recorded(grant, failure, exchange) : replayed(grant, exchange);
  return failure ? burning(grant.rejections + 1, failure, exchange) : redeem(grant.terms, exchange);
}

/** The client, the redirect URI and the verifier together prove that the code was issued to the presenter. */
export const failedProof = (
  terms: GrantTerms,
  exchange: Pick<Exchange, 'addonId' | 'redirectUri' | 'codeVerifier' | 'computedChallenge'>,
): ExchangeRefusal | null => {
  if (exchange.addonId !== terms.addonId) return 'code-of-another-client';
  if (exchange.redirectUri !== terms.redirectUri) return 'redirect-uri-mismatch';
  if (!isCodeVerifier(exchange.codeVerifier)) return 'verifier-mismatch';
  return isSameChallenge(terms.codeChallenge, exchange.computedChallenge) ? null : 'verifier-mismatch';
};

export const rejection = (reason: ExchangeRefusal, at: Instant): GrantEvent => ({
  type: 'CodeExchangeRejected',
  data: { reason, at },
});

const burning = (failures: number, failure: ExchangeRefusal, { now }: Exchange): Decided => {
  const rejected = rejection(failure, now);
  if (failures < proofsAllowed) return refuse(failure, rejected);
  return refuse(failure, rejected, {
    type: 'GrantRevoked',
    data: { reason: 'too-many-failed-proofs', at: now },
  });
};

/** A leaked code without its verifier must not end the tokens: that would allow denial of service (TC-11). */
const recorded = ({ rejections }: LiveGrant, failure: ExchangeRefusal, { now }: Exchange): Decided =>
  rejections < rejectionsRemembered ? refuse(failure, rejection(failure, now)) : refuse(failure);

/** A second complete proof means that code and verifier leaked, no matter when it arrives (RFC 6749 §4.1.2; TC-10). */
const replayed = (grant: LiveGrant, { salt, now, lifetimes }: Exchange): Decided => {
  if (grant.current.rotation === 0 && grant.current.salt === salt) return accept(); // redeemed by this same request (TC-14)
  if (now < grant.redeemedAt + lifetimes.replayTolerance) return refuse('code-already-redeemed');
  return refuse(
    'code-already-redeemed',
    { type: 'AuthorizationCodeReplayed', data: { at: now } },
    { type: 'GrantRevoked', data: { reason: 'code-replayed', at: now } },
  );
};

const redeem = ({ expiresAt, resources: granted }: GrantTerms, exchange: Exchange): Decided => {
  const { now, fence, withdrawn, keyId, salt, resources, lifetimes } = exchange;
  if (now >= expiresAt) return refuse('code-expired');
  if (fence) return refuse(asGrantRefusal(fence));
  if (withdrawn) return refuse(withdrawn);
  if (!isWithinAudience(resources, granted)) return refuse('resource-not-granted');
  const absolute = now + lifetimes.refreshAbsolute;
  return accept({
    type: 'AuthorizationCodeRedeemed',
    data: {
      keyId,
      salt,
      at: now,
      accessExpiresAt: Math.min(now + lifetimes.accessToken, absolute),
      refreshIdleExpiresAt: Math.min(now + lifetimes.refreshIdle, absolute),
      refreshAbsoluteExpiresAt: absolute,
      resources,
    },
  });
};
