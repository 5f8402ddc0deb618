import { audienceAmong } from '../domain/audience.ts';
import type { Instant } from '../domain/decision.ts';
import type { GrantTerms, LiveGrant } from '../domain/grant.ts';
import { mintAccessToken } from './access-token.ts';
import type { Identity, TokenPair } from './commands.ts';
import { mintCredential } from './credentials.ts';
import type { TokenKeys } from './token-keys.ts';

/** The grant's current pair, derived from what its event keeps: the same strings whoever asks, whenever. */
export const tokenPairOf = (keys: TokenKeys, { terms, current }: LiveGrant, now: Instant): TokenPair => {
  const { grantId, addonId, userId, subject, redirectUri, resources } = terms;
  const { rotation, scopes, accessExpiresAt, refreshIdleExpiresAt } = current;
  const audience = audienceAmong(resources, current.resources);
  const access = {
    grantId,
    rotation,
    addonId,
    userId,
    subject,
    scopes,
    expiresAt: accessExpiresAt,
    audience,
  };
  return {
    accessToken: mintAccessToken(keys, current, access),
    refreshToken: mintCredential(keys, 'refresh', current, {
      grantId,
      rotation,
      expiresAt: refreshIdleExpiresAt,
    }),
    expiresIn: Math.max(0, Math.floor((accessExpiresAt - now) / 1000)),
    scopes,
    redirectUri,
    identity: scopes.includes('openid') ? identityOf(terms, rotation) : null,
  };
};

/** The nonce belongs to the exchange, which the first rotation answers (RT-14). */
const identityOf = ({ userId, authTime, nonce }: GrantTerms, rotation: number): Identity => ({
  userId,
  authTime,
  nonce: rotation === 0 ? nonce : null,
});
