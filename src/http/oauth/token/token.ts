import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Addon } from '../../../commands/addons/find-addon.ts';
import type { TokenPair } from '../../../commands/credentials/token-pair.ts';
import type { ExchangeRefusal } from '../../../domain/access/grant-exchange.ts';
import type { RefreshRefusal } from '../../../domain/access/grant-refresh.ts';
import { isScope, meaningful } from '../../../domain/access/scope.ts';
import type { TokenDependencies } from './dependencies.ts';
import { noteLimits } from '../../limits/refusals.ts';
import { path } from '../../base/routes.ts';
import { formOf, one, queryOf, together, type Params } from '../../requests/params.ts';
import { contextOf } from '../../requests/trace.ts';
import { oauthPaths } from '../oauth-paths.ts';
import {
  authenticateClient,
  invalidClient,
  readClient,
  sentSecretId,
  type SentClient,
} from './client-authentication.ts';
import { onlyPost, refuseClient } from './client-endpoint.ts';
import { makeClientLimit } from './client-limit.ts';
import { resourcesOf } from './resources.ts';
import {
  exchangeAnswers,
  refreshAnswers,
  sendTokenError,
  sendOwnToken,
  sendTokens,
  tooManyRequests,
  unavailable,
  unsupportedGrantType,
  type TokenAnswer,
} from './token-answers.ts';
import {
  firstFinding,
  grantTypeOf,
  namedScopes,
  namedSignalScopes,
  type OfferedGrantType,
} from './token-checks.ts';
import { makeTokenCors } from './token-cors.ts';

type Grant = (
  dependencies: TokenDependencies,
  addon: Addon,
  params: Params,
  request: FastifyRequest,
  reply: FastifyReply,
  sent: SentClient,
) => Promise<FastifyReply>;

const exchange: Grant = async (dependencies, addon, params, request, reply) => {
  const { addonId } = addon;
  const sent = (name: string) => one(params, name) ?? '';
  const exchanged = await dependencies.commands.exchangeCode(
    {
      addonId,
      code: sent('code'),
      redirectUri: sent('redirect_uri'),
      codeVerifier: sent('code_verifier'),
      resources: askedResources(dependencies, params),
    },
    contextOf(request),
  );
  if (!exchanged.ok) return refuse(reply, exchangeAnswers, exchanged.refusal);
  const idToken = await idTokenOf(dependencies, addon, exchanged.value);
  reply.header('location', exchanged.value.redirectUri);
  return sendTokens(reply, isBrowserNavigation(request) ? 303 : 200, addon, exchanged.value, idToken);
};

const refresh: Grant = async (dependencies, addon, params, request, reply) => {
  const { addonId } = addon;
  const scopes = meaningful([...new Set(namedScopes(params).filter(isScope))]);
  const refreshed = await dependencies.commands.refreshToken(
    {
      addonId,
      refreshToken: one(params, 'refresh_token') ?? '',
      scopes: one(params, 'scope') === undefined ? null : scopes,
      resources: askedResources(dependencies, params),
    },
    contextOf(request),
  );
  return refreshed.ok
    ? sendTokens(reply, 200, addon, refreshed.value, await idTokenOf(dependencies, addon, refreshed.value))
    : refuse(waiting(reply, refreshed.retryAfter), refreshAnswers, refreshed.refusal);
};

/** A token of the add-on itself, for Shared Signals only (SG-02). Taking many is limited, because each is an event. */
const ownToken: Grant = async ({ commands, rateLimits }, addon, params, request, reply, sent) => {
  const { addonId } = addon;
  const secretId = sentSecretId(addon, sent) ?? '';
  const admission = await rateLimits.ownTokens.admit({ 'own-token': addonId });
  if (!admission.admitted) noteLimits(request, admission.standings);
  if (!admission.admitted) return sendTokenError(waiting(reply, admission.retryAfter), tooManyRequests);
  const scopes = namedSignalScopes(params);
  const issued = await commands.issueAddonToken({ addonId, secretId, scopes }, contextOf(request));
  return issued.ok
    ? sendOwnToken(reply, issued.value)
    : refuseClient(request, reply, invalidClient('client-secret-wrong'));
};

const refuse = <R extends ExchangeRefusal | RefreshRefusal>(
  reply: FastifyReply,
  answers: Readonly<Record<R, TokenAnswer>>,
  reason: R,
): FastifyReply => sendTokenError(reply, { ...answers[reason], reason });

const waiting = (reply: FastifyReply, seconds: number | undefined): FastifyReply =>
  seconds === undefined ? reply : reply.header('retry-after', String(seconds));

const askedResources = ({ config }: TokenDependencies, params: Params): readonly string[] | null => {
  const resources = resourcesOf(params, config.baseUrl);
  return resources.length === 0 ? null : resources;
};

/** Signed only when `openid` was granted (TK-12). */
const idTokenOf = async (
  { idTokens, config }: TokenDependencies,
  { addonId, idTokenAlg: alg }: Addon,
  { identity, accessToken, organizationId }: TokenPair,
): Promise<string | undefined> =>
  identity
    ? idTokens.issue({ issuer: config.issuer, addonId, organizationId, alg, accessToken, ...identity })
    : undefined;

const grants: Readonly<Record<OfferedGrantType, Grant>> = {
  authorization_code: exchange,
  refresh_token: refresh,
  client_credentials: ownToken,
};

/** `/oauth/token` (RFC 6749 §3.2): reads the form body, and the query string too, because the spec uses it (S1). */
export const registerToken = (app: FastifyInstance, dependencies: TokenDependencies): void => {
  const cors = makeTokenCors(dependencies.readModels, dependencies.now);
  const limit = makeClientLimit(dependencies.rateLimits.token, 'token', dependencies.commands, cors);

  const token = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const { baseUrl } = dependencies.config;
    const query = queryOf(request);
    const params = together(query, formOf(request));
    const { authorization, origin } = request.headers;
    const sent = readClient(authorization, params);
    if (!(await limit.admit(request, reply, sent))) return reply;
    const malformed = firstFinding('request', { query, params, addon: null, baseUrl });
    const grantType = grantTypeOf(params);
    if (malformed || !grantType) return sendTokenError(reply, malformed ?? unsupportedGrantType);
    if (!dependencies.trusted()) return sendTokenError(reply, { ...unavailable, reason: 'not-trusted-yet' });
    const client = await authenticateClient(dependencies.commands, sent);
    if (!client.ok) return refuseClient(request, reply, client.answer);
    const { addon } = client;
    limit.saw(addon);
    if (origin !== undefined) cors.allow(reply, origin, addon);
    const checked = { query, params, addon, baseUrl };
    const wrong = firstFinding('client', checked) ?? firstFinding(grantType, checked);
    return wrong
      ? sendTokenError(reply, wrong)
      : grants[grantType](dependencies, addon, params, request, reply, sent);
  };

  path(app, oauthPaths, '/oauth/token', { POST: token, OPTIONS: cors.preflight }, onlyPost);
};

/**
 * Whether a browser shows the answer to a person, who is then sent on to the redirect URI (S3). `Accept` does not tell:
 * Java's HttpURLConnection prefers `text/markup` by default, and would follow a redirect without reading the tokens.
 */
const isBrowserNavigation = ({ headers }: FastifyRequest): boolean =>
  headers['sec-fetch-mode'] === 'navigate' && headers.authorization === undefined;
