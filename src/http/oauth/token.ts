import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Addon, TokenPair } from '../../commands/commands.ts';
import { grantTypes, type GrantType } from '../../domain/addon.ts';
import { isScope } from '../../domain/scope.ts';
import type { HttpNeeds } from '../needs.ts';
import { formOf, one, queryOf, together, type Params } from '../params.ts';
import { path } from '../routes.ts';
import { authenticateClient } from './client-authentication.ts';
import { onlyPost, refuseClient, repeatedOf } from './client-endpoint.ts';
import { isBrowserNavigation } from './browser-navigation.ts';
import { makeTokenCors } from './token-cors.ts';
import {
  exchangeAnswers,
  invalidRequest,
  refreshAnswers,
  sendTokenError,
  sendTokens,
  unavailable,
  type TokenAnswer,
} from './token-answers.ts';

const knownParameters = [
  'grant_type',
  'client_id',
  'client_secret',
  'code',
  'redirect_uri',
  'code_verifier',
  'refresh_token',
  'scope',
] as const;

const longest = 4096;

/** What is wrong with the request as such, before anybody asks who sent it. */
const malformed = (query: Params, params: Params): TokenAnswer | null => {
  if (query.has('client_secret')) return invalidRequest('client_secret must not be in the query string');
  const repeated = repeatedOf(params, knownParameters);
  if (repeated) return repeated;
  const tooLong = knownParameters.find((name) => (one(params, name)?.length ?? 0) > longest);
  if (tooLong) return invalidRequest(`${tooLong} is longer than ${longest} characters`);
  return one(params, 'grant_type') === undefined ? invalidRequest('grant_type is missing') : null;
};

type Grant = (
  needs: HttpNeeds,
  addon: Addon,
  params: Params,
  request: FastifyRequest,
  reply: FastifyReply,
) => Promise<FastifyReply>;

const exchange: Grant = async (needs, addon, params, request, reply) => {
  const { addonId } = addon;
  const code = one(params, 'code');
  const redirectUri = one(params, 'redirect_uri');
  const codeVerifier = one(params, 'code_verifier');
  if (code === undefined) return sendTokenError(reply, invalidRequest('code is missing'));
  if (redirectUri === undefined) return sendTokenError(reply, invalidRequest('redirect_uri is missing'));
  // One code for every failed proof, the missing one included (TC-02).
  if (codeVerifier === undefined)
    return sendTokenError(reply, { error: 'invalid_grant', description: 'code_verifier is missing' });
  const exchanged = await needs.commands.exchangeCode({ addonId, code, redirectUri, codeVerifier });
  if (!exchanged.ok) return sendTokenError(reply, exchangeAnswers[exchanged.refusal]);
  const idToken = await idTokenOf(needs, addonId, exchanged.value);
  reply.header('location', exchanged.value.redirectUri);
  return sendTokens(reply, isBrowserNavigation(request) ? 303 : 200, addon, exchanged.value, idToken);
};

const refresh: Grant = async (needs, addon, params, _request, reply) => {
  const { addonId } = addon;
  const refreshToken = one(params, 'refresh_token');
  if (refreshToken === undefined) return sendTokenError(reply, invalidRequest('refresh_token is missing'));
  const asked = one(params, 'scope');
  const named = (asked ?? '').split(' ').filter((scope) => scope !== '');
  const scopes = named.filter(isScope);
  if (scopes.length !== named.length)
    return sendTokenError(reply, {
      error: 'invalid_scope',
      description: 'scope holds more than was granted',
    });
  const refreshed = await needs.commands.refreshToken({
    addonId,
    refreshToken,
    scopes: asked === undefined ? null : [...new Set(scopes)],
  });
  return refreshed.ok
    ? sendTokens(reply, 200, addon, refreshed.value, await idTokenOf(needs, addonId, refreshed.value))
    : sendTokenError(reply, refreshAnswers[refreshed.refusal]);
};

/** Signed only when `openid` was granted (TK-12). */
const idTokenOf = async (
  { idTokens, config }: HttpNeeds,
  addonId: string,
  { identity }: TokenPair,
): Promise<string | undefined> =>
  identity ? idTokens.issue({ issuer: config.issuer, addonId, ...identity }) : undefined;

const grants = { authorization_code: exchange, refresh_token: refresh } satisfies Record<GrantType, Grant>;

/** TK-04, RFC 6749 §5.2. */
const notAllowed: TokenAnswer = {
  error: 'unauthorized_client',
  description: 'this add-on is not registered for this grant_type',
};

/** `/oauth/token` (RFC 6749 §3.2): form body first, the query string too because the spec shows it there (S1). */
export const registerToken = (app: FastifyInstance, needs: HttpNeeds): void => {
  const cors = makeTokenCors(needs.readModels, needs.now);

  const token = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const query = queryOf(request);
    const params = together(query, formOf(request));
    const wrong = malformed(query, params);
    if (wrong) return sendTokenError(reply, wrong);
    const grantType = grantTypes.find((known) => known === one(params, 'grant_type'));
    if (!grantType)
      return sendTokenError(reply, {
        error: 'unsupported_grant_type',
        description: 'grant_type must be authorization_code or refresh_token',
      });
    if (!needs.trusted()) return sendTokenError(reply, unavailable);
    const { authorization, origin } = request.headers;
    const client = await authenticateClient(needs.commands, authorization, params);
    if (!client.ok) return refuseClient(request, reply, client.answer);
    if (origin !== undefined) cors.allow(reply, origin, client.addon);
    if (!client.addon.grantTypes.includes(grantType)) return sendTokenError(reply, notAllowed);
    return grants[grantType](needs, client.addon, params, request, reply);
  };

  path(app, '/oauth/token', { POST: token, OPTIONS: cors.preflight }, onlyPost);
};
