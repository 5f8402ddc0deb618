import { LRUCache } from 'lru-cache';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { IntrospectionBody } from '../../contracts/token.ts';
import type { Introspection, OwnIntrospection } from '../../../commands/access/introspect-token.ts';
import { growing } from '../../../common/growing.ts';
import type { OrganizationNames } from '../../../projections/read-models.ts';
import type { HttpConfig } from '../../base/dependencies.ts';
import type { TokenDependencies } from './dependencies.ts';
import { nameMembers, organizationIdOf } from '../organization-members.ts';
import { formOf, one } from '../../requests/params.ts';
import { noteReason } from '../../limits/refusals.ts';
import { path } from '../../base/routes.ts';
import { invalidClient, readClient } from './client-authentication.ts';
import { challengeBasic, onlyPost } from './client-endpoint.ts';
import { makeClientLimit } from './client-limit.ts';
import { oauthPaths } from '../oauth-paths.ts';
import { readPresentedToken } from './presented-token.ts';
import { audOf, withOwnApi } from './resources.ts';
import { noStore, sendTokenError, unavailable, type TokenRefusal } from './token-answers.ts';

/** `/oauth/introspect` (RFC 7662), for authenticated add-ons about their own tokens and resources; all others are inactive (IN-05). */
export const registerIntrospect = (app: FastifyInstance, dependencies: TokenDependencies): void => {
  const { commands, config, rateLimits, readModels, trusted } = dependencies;
  const limit = makeClientLimit(rateLimits.introspect, 'introspect', commands);
  const organizations = new LRUCache<string, OrganizationNames>({
    ...growing(mostNames),
    ttl: namesKept,
    fetchMethod: async (organizationId) => (await readModels.organization(organizationId)) ?? undefined,
  });
  /** For the add-on itself: a resource server learns only the id (AP-01). */
  const namesFor = async (caller: string, token: Introspection | OwnIntrospection) => {
    const organizationId = token.kind === 'own' ? undefined : organizationIdOf(token);
    if (organizationId === undefined || token.addonId !== caller) return {};
    return nameMembers(await organizations.fetch(organizationId));
  };

  const introspect = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const { authorization } = request.headers;
    const sent = readClient(authorization, formOf(request));
    if (!(await limit.admit(request, reply, sent))) return reply;
    if (!trusted()) return sendTokenError(reply, { ...unavailable, reason: 'not-trusted-yet' });
    // Public add-ons may not introspect, so a missing client id is missing authentication, not a malformed request
    // (IN-01).
    if (authorization === undefined && one(formOf(request), 'client_id') === undefined)
      return refuse(reply, invalidClient('client-id-missing'));
    const presented = await readPresentedToken(commands, request, sent);
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
    const body: IntrospectionBody = active
      ? { ...describe(config, active), ...(await namesFor(addon.addonId, active)) }
      : { active: false };
    return reply
      .headers({ ...noStore, 'content-type': 'application/json; charset=utf-8' })
      .send(JSON.stringify(body));
  };

  path(app, oauthPaths, '/oauth/introspect', { POST: introspect }, onlyPost);
};

/** So that an introspection costs no further statement; a new name is there this much later, in milliseconds. */
const namesKept = 5_000;
const mostNames = 10_000;

const refuse = (reply: FastifyReply, answer: TokenRefusal): FastifyReply =>
  sendTokenError(answer.status === 401 ? challengeBasic(reply) : reply, answer);

/**
 * Times in whole seconds (RFC 7662 §2.2). A refresh token never looks like an access token. `jti`, `grant_id`, `grant_epoch`, `org_id` with
 * `client_id` are the ids by which Kafka messages name what has ended (docs/reference/kafka.md).
 */
const describeGrantToken = ({ baseUrl, issuer }: HttpConfig, token: Introspection): IntrospectionBody => ({
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
  organization_id: organizationIdOf(token),
  org_id: organizationIdOf(token),
});

/** A token that the add-on took for itself is of no grant and of no user. */
const describeOwnToken = (
  { baseUrl, issuer }: HttpConfig,
  { tokenId, addonId, scopes, issuedAt, expiresAt }: OwnIntrospection,
): IntrospectionBody => ({
  active: true,
  scope: scopes.join(' '),
  client_id: addonId,
  token_type: 'Bearer',
  exp: Math.floor(expiresAt / 1000),
  iat: Math.floor(issuedAt / 1000),
  sub: addonId,
  aud: baseUrl,
  iss: issuer,
  jti: `addon.${tokenId}`,
});

const describe = (config: HttpConfig, token: Introspection | OwnIntrospection): IntrospectionBody =>
  token.kind === 'own' ? describeOwnToken(config, token) : describeGrantToken(config, token);
