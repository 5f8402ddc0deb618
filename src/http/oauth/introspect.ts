import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { IntrospectionBody } from '../contracts/token.ts';
import type { Introspection } from '../../commands/introspect-token.ts';
import type { HttpConfig, HttpDependencies } from '../dependencies.ts';
import { formOf, one } from '../params.ts';
import { noteReason } from '../refusals.ts';
import { path } from '../routes.ts';
import { invalidClient } from './client-authentication.ts';
import { challengeBasic, onlyPost } from './client-endpoint.ts';
import { makeClientLimit } from './client-limit.ts';
import { oauthPaths } from './oauth-paths.ts';
import { readPresentedToken } from './presented-token.ts';
import { audOf, withOwnApi } from './resources.ts';
import { noStore, sendTokenError, unavailable, type TokenRefusal } from './token-answers.ts';

/**
 * `/oauth/introspect` (RFC 7662): what a token stands for at this moment. Only for add-ons that can prove who they are,
 * about their own tokens and those for a resource that they answer for: to anybody else a token is inactive (IN-05).
 */
export const registerIntrospect = (app: FastifyInstance, dependencies: HttpDependencies): void => {
  const { commands, config, rateLimits, trusted } = dependencies;
  const limit = makeClientLimit(rateLimits.introspect, 'introspect');

  const introspect = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    if (!(await limit.admit(request, reply, formOf(request)))) return reply;
    if (!trusted()) return sendTokenError(reply, { ...unavailable, reason: 'not-trusted-yet' });
    const { authorization } = request.headers;
    // Where nobody may be anonymous, saying nothing about oneself is a missing proof and no malformed request (IN-01).
    if (authorization === undefined && one(formOf(request), 'client_id') === undefined)
      return refuse(reply, invalidClient('client-id-missing'));
    const presented = await readPresentedToken(commands, request);
    if (!presented.ok) return refuse(reply, presented.answer);
    const { addon, token } = presented;
    limit.saw(addon);
    if (addon.secretDigests.length === 0) return refuse(reply, invalidClient('client-is-public'));
    const active = await commands.introspectToken({
      addonId: addon.addonId,
      token,
      audiences: withOwnApi(addon.audiences, config.baseUrl),
    });
    if (!active) noteReason(request, 'token-inactive');
    return reply
      .headers({ ...noStore, 'content-type': 'application/json; charset=utf-8' })
      .send(
        JSON.stringify((active ? describe(config, active) : { active: false }) satisfies IntrospectionBody),
      );
  };

  path(app, oauthPaths, '/oauth/introspect', { POST: introspect }, onlyPost);
};

const refuse = (reply: FastifyReply, answer: TokenRefusal): FastifyReply =>
  sendTokenError(answer.status === 401 ? challengeBasic(reply) : reply, answer);

/**
 * Times in whole seconds (RFC 7662 §2.2). A refresh token must never pass for one that opens the lists. What messages by Kafka
 * name when they end something is here too (`jti`, `grant_id`, `grant_epoch`, `org_id` with `client_id`), so that a resource
 * server that keeps this answer knows when to forget it (docs/kafka.md).
 */
const describe = ({ baseUrl, issuer }: HttpConfig, token: Introspection): IntrospectionBody => ({
  active: true,
  scope: token.scopes.join(' '),
  client_id: token.addonId,
  token_type: token.kind === 'access' ? 'Bearer' : 'refresh_token',
  exp: Math.floor(token.expiresAt / 1000),
  iat: Math.floor(token.issuedAt / 1000),
  sub: token.userId,
  aud: audOf(token.resources, baseUrl),
  iss: issuer,
  jti: `${token.kind}.${token.grantId}.${token.rotation}`,
  grant_id: token.grantId,
  grant_epoch: token.subject.epoch,
  org_id: token.subject.kind === 'organization' ? token.subject.organizationId : undefined,
});
