import type { Authentication, GrantCounts, GrantRevocationReason } from '../../../domain/access/grant.ts';
import type { Scope } from '../../../domain/access/scope.ts';
import { as, inIdentity, kept, plain, utc } from '../field-decision.ts';
import {
  accessTokenRevoked,
  codeIssued,
  codeReplayed,
  exchangeRefused,
  grantRevoked,
  refreshRefused,
  refreshTokenReused,
  tokensIssued,
  tokensRefreshed,
  tokensWithheld,
} from '../messages/grant-messages.ts';
import { publish } from '../publication.ts';

/** Repeated here, so that an additional field in the domain needs a decision, too. */
type Subject =
  | { readonly kind: 'organization'; readonly organizationId: string; readonly epoch: number }
  | { readonly kind: 'user'; readonly userId: string; readonly epoch: number };

const credential = kept<string>('is material that credentials are derived from');

const secrets = { keyId: credential, salt: credential };

const at = as('at', utc);

const rotation = as('rotation', plain<number>());

const reason = as('reason', plain<string>());

const expiries = {
  accessExpiresAt: as('access_token_expires_at', utc),
  refreshIdleExpiresAt: as('refresh_token_expires_at', utc),
};

const narrowed = as('resources', plain<readonly string[] | null>());

export const grantDecisions = {
  AuthorizationCodeIssued: publish('AuthorizationCodeIssued', codeIssued, 'grant', {
    grantId: inIdentity<string>(),
    addonId: inIdentity<string>(),
    subject: inIdentity<Subject>(),
    userId: kept<string>('names who approved'),
    scopes: as('scopes', plain<readonly Scope[]>()),
    exact: kept<true | null>('says how its scopes were asked for'),
    resources: as('resources', plain<readonly string[]>()),
    redirectUri: kept<string>('is between the add-on and the authorization endpoint'),
    codeChallenge: kept<string>('is what the code is bound to'),
    nonce: kept<string | null>('is between the add-on and its user'),
    authTime: kept<number>('says when a person signed in'),
    authentication: kept<Authentication | null>('says how a person signed in'),
    ...secrets,
    at,
    expiresAt: as('code_expires_at', utc),
  }),
  AuthorizationCodeRedeemed: publish('AuthorizationCodeRedeemed', tokensIssued, 'grant', {
    ...secrets,
    at,
    ...expiries,
    refreshAbsoluteExpiresAt: as('grant_expires_at', utc),
    resources: narrowed,
  }),
  CodeExchangeRejected: publish('CodeExchangeRejected', exchangeRefused, 'grant', { reason, at }),
  AuthorizationCodeReplayed: publish('AuthorizationCodeReplayed', codeReplayed, 'grant', { at }),
  TokensRefreshed: publish('TokensRefreshed', tokensRefreshed, 'grant', {
    rotation,
    ...secrets,
    scopes: as('scopes', plain<readonly Scope[]>()),
    at,
    ...expiries,
    graceUntil: kept<number>('is how an answer that got lost is given again, nothing that a reader can use'),
    resources: narrowed,
    counts: kept<GrantCounts | null>(
      'is a running count for the next decision, and follows from the events before it',
    ),
  }),
  TokensWithheld: publish('TokensWithheld', tokensWithheld, 'grant', { rotation, at }),
  RefreshRejected: publish('RefreshRejected', refreshRefused, 'grant', { rotation, reason, at }),
  RefreshTokenReused: publish('RefreshTokenReused', refreshTokenReused, 'grant', { rotation, at }),
  AccessTokenRevoked: publish('AccessTokenRevoked', accessTokenRevoked, 'grant', { rotation, at }),
  GrantRevoked: publish('GrantRevoked', grantRevoked, 'grant', {
    reason: as('reason', plain<GrantRevocationReason>()),
    at,
  }),
};
