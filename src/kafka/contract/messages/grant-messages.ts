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
import { message } from './message-contract.ts';

const identity = { grant_id: grantId, addon_id: addonId, subject };

const refusal = z
  .string()
  .describe('A short word such as verifier-mismatch. There may be new ones without a new version.');

const expiries = {
  access_token_expires_at: time('When the access token ends at the latest'),
  refresh_token_expires_at: time('When the refresh token ends unless it is used'),
};

export const grantMessages = {
  AuthorizationCodeIssued: message({
    type: 'grantbook.grant.code-issued.v1',
    identity: 'grant',
    topic: 'grants',
    summary: 'Access was approved: a grant begins with a code, which gives no access until it is exchanged.',
    data: z.strictObject({
      ...identity,
      scopes,
      resources,
      at,
      code_expires_at: time('Until when the code may be exchanged'),
    }),
  }),
  AuthorizationCodeRedeemed: message({
    type: 'grantbook.grant.tokens-issued.v1',
    identity: 'grant',
    topic: 'grants',
    summary: 'The code was exchanged for the first pair of tokens, which is rotation 0.',
    data: z.strictObject({
      ...identity,
      at,
      ...expiries,
      grant_expires_at: time('When every token of the grant ends, however often it is refreshed'),
      resources: narrowedResources,
    }),
  }),
  CodeExchangeRejected: message({
    type: 'grantbook.grant.exchange-refused.v1',
    identity: 'grant',
    topic: 'grants',
    summary:
      'The code was presented without a valid proof. Published only a limited number of times per grant.',
    data: z.strictObject({ ...identity, reason: refusal, at }),
  }),
  AuthorizationCodeReplayed: message({
    type: 'grantbook.grant.code-replayed.v1',
    identity: 'grant',
    topic: 'grants',
    summary:
      'The code was presented a second time, with a valid proof: it leaked. A grantbook.grant.revoked follows.',
    data: z.strictObject({ ...identity, at }),
  }),
  TokensRefreshed: message({
    type: 'grantbook.grant.tokens-refreshed.v1',
    identity: 'grant',
    topic: 'grants',
    summary: 'A refresh token was exchanged for the next pair.',
    data: z.strictObject({
      ...identity,
      rotation,
      scopes,
      at,
      ...expiries,
      resources: narrowedResources,
    }),
  }),
  TokensWithheld: message({
    type: 'grantbook.grant.tokens-withheld.v1',
    identity: 'grant',
    topic: 'grants',
    summary: 'Tokens were requested, but refused because the add-on is suspended.',
    data: z.strictObject({ ...identity, rotation, at }),
  }),
  RefreshRejected: message({
    type: 'grantbook.grant.refresh-refused.v1',
    identity: 'grant',
    topic: 'grants',
    summary:
      "Another client presented the add-on's refresh token. Published only a limited number of times per grant.",
    data: z.strictObject({ ...identity, rotation, reason: refusal, at }),
  }),
  RefreshTokenReused: message({
    type: 'grantbook.grant.refresh-token-reused.v1',
    identity: 'grant',
    topic: 'grants',
    summary: 'A used refresh token was presented again: it leaked. A grantbook.grant.revoked follows.',
    data: z.strictObject({ ...identity, rotation, at }),
  }),
  AccessTokenRevoked: message({
    type: 'grantbook.grant.access-token-revoked.v1',
    identity: 'grant',
    topic: 'grants',
    summary: 'One access token was revoked; the rest of the grant stays valid.',
    data: z.strictObject({ ...identity, rotation, at }),
  }),
  GrantRevoked: message({
    type: 'grantbook.grant.revoked.v1',
    identity: 'grant',
    topic: 'grants',
    summary: 'The grant was revoked with all its tokens.',
    data: z.strictObject({
      ...identity,
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
  }),
};
