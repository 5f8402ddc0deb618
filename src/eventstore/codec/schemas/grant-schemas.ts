import { z } from 'zod';
import { grantRevocationReasons, type GrantEvent } from '../../../domain/access/grant.ts';
import { scopes } from '../../../domain/access/scope.ts';
import { instant, mustKnow, schemasOf, whole } from './schemas-of.ts';

const subject = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('organization'), organizationId: z.string(), epoch: whole }),
  z.strictObject({ kind: z.literal('user'), userId: z.string(), epoch: whole }),
]);

export const grantSchemas = schemasOf<GrantEvent>()({
  AuthorizationCodeIssued: mustKnow({
    grantId: z.string(),
    addonId: z.string(),
    userId: z.string(),
    subject,
    scopes: z.array(z.enum(scopes)),
    redirectUri: z.string(),
    codeChallenge: z.string(),
    nonce: z.string().nullable(),
    resources: z.array(z.string()),
    authTime: instant,
    authentication: z
      .strictObject({ acr: z.string().nullable(), amr: z.array(z.string()).nullable() })
      .nullable(),
    exact: z.literal(true).nullable(),
    keyId: z.string(),
    salt: z.string(),
    at: instant,
    expiresAt: instant,
  }),
  AuthorizationCodeRedeemed: mustKnow({
    keyId: z.string(),
    salt: z.string(),
    at: instant,
    accessExpiresAt: instant,
    refreshIdleExpiresAt: instant,
    refreshAbsoluteExpiresAt: instant,
    resources: z.array(z.string()).nullable(),
  }),
  CodeExchangeRejected: mustKnow({ reason: z.string(), at: instant }),
  AuthorizationCodeReplayed: mustKnow({ at: instant }),
  TokensRefreshed: mustKnow({
    rotation: whole,
    keyId: z.string(),
    salt: z.string(),
    scopes: z.array(z.enum(scopes)),
    at: instant,
    accessExpiresAt: instant,
    refreshIdleExpiresAt: instant,
    graceUntil: instant,
    resources: z.array(z.string()).nullable(),
    counts: z
      .strictObject({ rejections: whole, hour: z.strictObject({ began: instant, rotations: whole }) })
      .nullable(),
  }),
  TokensWithheld: mustKnow({ rotation: whole, at: instant }),
  RefreshRejected: mustKnow({ rotation: whole, reason: z.string(), at: instant }),
  RefreshTokenReused: mustKnow({ rotation: whole, at: instant }),
  AccessTokenRevoked: mustKnow({ rotation: whole, at: instant }),
  GrantRevoked: mustKnow({
    reason: z.enum(grantRevocationReasons),
    at: instant,
  }),
});
