import { audienceAmong } from '../../domain/access/audience.ts';
import type { Instant } from '../../domain/kernel/decision.ts';
import type { Authentication, GrantTerms, LiveGrant } from '../../domain/access/grant.ts';
import type { Scope } from '../../domain/access/scope.ts';
import { mintAccessToken } from './access-token.ts';
import { mintCredential } from './credentials.ts';
import type { TokenKeys } from './token-keys.ts';

export type TokenPair = {
  readonly accessToken: string;
  readonly refreshToken: string;
  /** Whole seconds until the access token expires. */
  readonly expiresIn: number;
  readonly scopes: readonly Scope[];
  readonly redirectUri: string;
  /** Whose records it opens (AP-01); null for a user's own. */
  readonly organizationId: string | null;
  /** Of the user who signed in, for an id_token; null without `openid`, and while the account is disabled. */
  readonly identity: Identity | null;
};

export type Identity = {
  readonly userId: string;
  /** Time of the sign-in before the approval; a refresh does not change it (RT-14). */
  readonly authTime: Instant;
  /** The nonce of the authorization request; null when it had none, and on a refresh. */
  readonly nonce: string | null;
  /** What the user's provider says about that sign-in. */
  readonly authentication: Authentication | null;
};

/** The grant's current pair, derived from what its event holds: always the same strings. */
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
    organizationId: subject.kind === 'organization' ? subject.organizationId : null,
    identity: scopes.includes('openid') ? identityOf(terms, rotation) : null,
  };
};

/** Only the exchange, which makes the first pair (rotation 0), answers with the nonce (RT-14). */
const identityOf = ({ userId, authTime, nonce, authentication }: GrantTerms, rotation: number): Identity => ({
  userId,
  authTime,
  authentication,
  nonce: rotation === 0 ? nonce : null,
});
