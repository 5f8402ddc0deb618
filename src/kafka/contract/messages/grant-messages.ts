import { z } from 'zod';
import {
  addonId,
  at,
  grantId,
  narrowedResources,
  resources,
  rotation,
  scopes,
  subject,
  time,
} from './fields.ts';
import { messagesOf } from './message-contract.ts';

const ofGrant = messagesOf('grant', 'grants', { grant_id: grantId, addon_id: addonId, subject });

const refusal = z
  .string()
  .describe('A short word such as verifier-mismatch. There may be new ones without a new version.');

const expiries = {
  access_token_expires_at: time('When the access token ends at the latest'),
  refresh_token_expires_at: time('When the refresh token ends unless it is used'),
};

export const grantMessages = {
  AuthorizationCodeIssued: ofGrant(
    'grantbook.grant.code-issued.v1',
    'Access was approved: a grant begins with a code, which gives no access until it is exchanged.',
    {
      scopes,
      resources,
      at,
      code_expires_at: time('Until when the code may be exchanged'),
    },
  ),
  AuthorizationCodeRedeemed: ofGrant(
    'grantbook.grant.tokens-issued.v1',
    'The code was exchanged for the first pair of tokens, which is rotation 0.',
    {
      at,
      ...expiries,
      grant_expires_at: time('When every token of the grant ends, however often it is refreshed'),
      resources: narrowedResources,
    },
  ),
  CodeExchangeRejected: ofGrant(
    'grantbook.grant.exchange-refused.v1',
    'The code was presented without a valid proof. Published only a limited number of times per grant.',
    { reason: refusal, at },
  ),
  AuthorizationCodeReplayed: ofGrant(
    'grantbook.grant.code-replayed.v1',
    'The code was presented a second time, with a valid proof: it leaked. A grantbook.grant.revoked follows.',
    { at },
  ),
  TokensRefreshed: ofGrant(
    'grantbook.grant.tokens-refreshed.v1',
    'A refresh token was exchanged for the next pair.',
    {
      rotation,
      scopes,
      at,
      ...expiries,
      resources: narrowedResources,
    },
  ),
  TokensWithheld: ofGrant(
    'grantbook.grant.tokens-withheld.v1',
    'Tokens were requested, but refused because the add-on is suspended.',
    { rotation, at },
  ),
  RefreshRejected: ofGrant(
    'grantbook.grant.refresh-refused.v1',
    "Another client presented the add-on's refresh token. Published only a limited number of times per grant.",
    { rotation, reason: refusal, at },
  ),
  RefreshTokenReused: ofGrant(
    'grantbook.grant.refresh-token-reused.v1',
    'A used refresh token was presented again: it leaked. A grantbook.grant.revoked follows.',
    { rotation, at },
  ),
  AccessTokenRevoked: ofGrant(
    'grantbook.grant.access-token-revoked.v1',
    'One access token was revoked; the rest of the grant stays valid.',
    { rotation, at },
  ),
  GrantRevoked: ofGrant('grantbook.grant.revoked.v1', 'The grant was revoked with all its tokens.', {
    // Listed here, too: a reason that the domain adds must not be published without a decision (DA-06).
    reason: z.enum([
      'addon-deactivated',
      'code-replayed',
      'refresh-token-reused',
      'too-many-failed-proofs',
      'revoked-by-addon',
      'revoked-by-operator',
      'consent-withdrawn',
      'account-disabled',
      'scope-removed',
      'redirect-uri-removed',
      'role-lost',
      'addon-retired',
    ]),
    at,
  }),
};
