import type { FastifyReply } from 'fastify';
import type { Commands } from '../../../commands/commands.ts';
import type { Addon } from '../../../commands/addons/find-addon.ts';
import type { IssuedAddonToken } from '../../../commands/access/addon-tokens.ts';
import type { TokenPair } from '../../../commands/credentials/token-pair.ts';
import type { ExchangeRefusal } from '../../../domain/access/grant-exchange.ts';
import type { RefreshRefusal } from '../../../domain/access/grant-refresh.ts';
import { neverCompressed } from '../../compression/compress-answers.ts';
import type { TokenAnswerBody, TokenErrorBody, TokenErrorCode } from '../../contracts/token.ts';
import { retryAfter } from '../../answers/problems.ts';
import type { RefusalReason } from '../../limits/refusal-reasons.ts';
import { noteReason } from '../../limits/refusals.ts';

/** A public answer of the token endpoint. `description` is fixed text: no parameter is echoed. */
export type TokenAnswer = {
  readonly error: TokenErrorCode;
  readonly description: string;
  readonly status?: 401 | 405 | 413 | 415 | 417 | 429 | 500 | 501 | 503;
};

/** With the reason for logs and metrics, which the answer may not reveal. */
export type TokenRefusal = TokenAnswer & { readonly reason: RefusalReason };

export const invalidRequest = (description: string, reason: RefusalReason): TokenRefusal => ({
  error: 'invalid_request',
  description,
  reason,
});

export const unavailable = {
  error: 'temporarily_unavailable',
  description: 'try again in a moment',
  status: 503,
  reason: 'unavailable',
} as const satisfies TokenRefusal;

/** As other servers do (Box, GitLab): the client waits and keeps its tokens. After invalid_grant clients discard them. */
export const tooManyRequests: TokenRefusal = {
  error: 'temporarily_unavailable',
  description: 'too many requests; nothing was done; try again after the number of seconds in Retry-After',
  status: 429,
  reason: 'too-many-requests',
};

/** The refusal does not use up the refresh token (GR-03). */
const rotatedTooOften: TokenAnswer = {
  ...tooManyRequests,
  description: 'the tokens of this grant were refreshed too often; use the tokens that were issued',
};

export const unsupportedGrantType: TokenRefusal = {
  error: 'unsupported_grant_type',
  description: 'grant_type must be authorization_code, refresh_token or client_credentials',
  reason: 'grant-type-not-supported',
};

/** One answer for every invalid code or token, so that it does not reveal the cause (TK-10). */
const invalidGrant: TokenAnswer = {
  error: 'invalid_grant',
  description: 'the code or refresh token is unknown, expired, used or revoked, or its proof is wrong',
};

const resourceNotGranted: TokenAnswer = {
  error: 'invalid_target',
  description: 'the requested resource was not part of the authorization',
};

/** Not invalid_grant, after which clients discard tokens: these work again later (SU-01). */
const suspended: TokenAnswer = {
  error: 'unauthorized_client',
  description: 'the add-on is suspended; its refresh tokens work again when that is lifted',
};

export const accessOnHold = 'access is on hold until an operator resolves an unreadable event';

/** The same while an event that concerns the grant is parked: the operator may skip it (OP-02). */
export const onHold = {
  error: 'unauthorized_client',
  description: `${accessOnHold}; the refresh token may work again after that`,
} as const satisfies TokenAnswer;

export const exchangeAnswers = {
  'code-unknown': invalidGrant,
  'code-of-another-client': invalidGrant,
  'redirect-uri-mismatch': invalidGrant,
  'verifier-mismatch': invalidGrant,
  'code-expired': invalidGrant,
  'code-already-redeemed': invalidGrant,
  'grant-revoked': invalidGrant,
  'addon-deactivated': invalidGrant,
  'addon-suspended': suspended,
  'account-disabled': invalidGrant,
  'consent-withdrawn': invalidGrant,
  'on-hold': onHold,
  'resource-not-granted': resourceNotGranted,
  'redirect-uri-removed': invalidGrant,
  'scope-removed': invalidGrant,
} satisfies Record<ExchangeRefusal, TokenAnswer>;

export const refreshAnswers = {
  'token-unknown': invalidGrant,
  'token-of-another-client': invalidGrant,
  'token-expired': invalidGrant,
  'token-reused': invalidGrant,
  'grant-revoked': invalidGrant,
  'scope-too-wide': { error: 'invalid_scope', description: 'scope exceeds what was granted' },
  'addon-deactivated': invalidGrant,
  'addon-suspended': suspended,
  'account-disabled': invalidGrant,
  'consent-withdrawn': invalidGrant,
  'on-hold': onHold,
  'resource-not-granted': resourceNotGranted,
  'rotated-too-often': rotatedTooOften,
} satisfies Record<RefreshRefusal, TokenAnswer>;

type RevocationRefusal = Extract<
  Awaited<ReturnType<Commands['revokeToken']>>,
  { readonly ok: false }
>['refusal'];

export const revocationAnswers = {
  'token-of-another-client': {
    error: 'invalid_grant',
    description: 'the token was issued to another client',
  },
} satisfies Record<RevocationRefusal, TokenAnswer>;

/** TK-03: on every answer, refusals included. */
export const noStore = { 'cache-control': 'no-store', pragma: 'no-cache' } as const;
const json = 'application/json; charset=utf-8';

export const sendTokenError = (
  reply: FastifyReply,
  { error, description, status, reason }: TokenRefusal,
): FastifyReply => {
  noteReason(reply.request, reason);
  if (status === 503) reply.header('retry-after', retryAfter);
  return reply
    .code(status ?? 400)
    .headers(noStore)
    .header('content-type', json)
    .send(JSON.stringify({ error, error_description: description } satisfies TokenErrorBody));
};

/**
 * `expires` is the name in the user's specification, `expires_in` the RFC's: the same whole seconds (S2, TK-12). An
 * add-on that may not refresh gets no refresh token (RFC 6749 §5.1): a useless secret could only leak.
 */
export const sendTokens = (
  reply: FastifyReply,
  status: 200 | 303,
  { grantTypes }: Addon,
  pair: TokenPair,
  idToken: string | undefined,
): FastifyReply =>
  sendToken(reply, status, {
    access_token: pair.accessToken,
    token_type: 'Bearer',
    expires: pair.expiresIn,
    expires_in: pair.expiresIn,
    refresh_token: grantTypes.includes('refresh_token') ? pair.refreshToken : undefined,
    scope: pair.scopes.join(' '),
    organization_id: pair.organizationId ?? undefined,
    id_token: idToken,
  });

/** Without a refresh token (RFC 6749 §4.4.3). */
export const sendOwnToken = (
  reply: FastifyReply,
  { accessToken, expiresIn, scopes }: IssuedAddonToken,
): FastifyReply =>
  sendToken(reply, 200, {
    access_token: accessToken,
    token_type: 'Bearer',
    expires: expiresIn,
    expires_in: expiresIn,
    scope: scopes.join(' '),
  });

const sendToken = (reply: FastifyReply, status: 200 | 303, body: TokenAnswerBody): FastifyReply =>
  reply
    .code(status)
    .headers({ ...noStore, 'cache-control': neverCompressed })
    .header('content-type', json)
    .send(JSON.stringify(body));
