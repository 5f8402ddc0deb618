import { hash } from 'node:crypto';
import type { FastifyPluginCallback, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { isSameTag } from '../../answers/send-json.ts';
import { acceptForms } from '../../answers/scope-handlers.ts';
import type { Handler } from '../../base/routes.ts';
import { pages, scope } from '../../base/scopes.ts';
import type { KeySet } from '../../contracts/discovery.ts';
import { announcePolicies } from '../../limits/rate-limits.ts';
import { openPath } from '../../requests/cors.ts';
import type { DiscoveryDependencies, LogoutDependencies, UserInfoDependencies } from './dependencies.ts';
import { keyPaths, metadataPaths, protectedResourcePaths } from './discovery-paths.ts';
import { registerLogout } from './logout.ts';
import { metadataOf, protectedResourceOf } from './metadata.ts';
import { registerUserInfo } from './userinfo.ts';

export const discovery = (dependencies: DiscoveryDependencies): FastifyPluginCallback =>
  scope((app) => {
    registerMetadata(app, dependencies);
    registerJwks(app, dependencies);
  });

export const userInfo = (dependencies: UserInfoDependencies): FastifyPluginCallback =>
  scope((app) => {
    acceptForms(app);
    announcePolicies(app, dependencies.rateLimits.resources);
    registerUserInfo(app, dependencies);
  });

export const logout = (dependencies: LogoutDependencies): FastifyPluginCallback =>
  pages(dependencies.browser, (place) => registerLogout(place, dependencies));

/** `/oauth/jwks`: the keys that verify id_tokens (RFC 7517 §5). A new key is published long before it signs (JW-02). */
const registerJwks = (app: FastifyInstance, { config, idTokens }: DiscoveryDependencies): void => {
  const jwks = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const body = JSON.stringify({ keys: await idTokens.publicKeys() } satisfies KeySet);
    const etag = `"${hash('sha256', body, 'base64url')}"`;
    reply.headers({
      etag,
      'cache-control': 'public, max-age=300',
      'access-control-allow-origin': '*',
    });
    if (isSameTag(request.headers['if-none-match'], etag)) return reply.code(304).send();
    return reply.header('content-type', 'application/json; charset=utf-8').send(body);
  };
  openPath(app, keyPaths, '/oauth/jwks', jwks, config);
};

/** Metadata of the authorization server and of the lists, under all paths that clients look for. */
const registerMetadata = (app: FastifyInstance, { config }: Pick<DiscoveryDependencies, 'config'>): void => {
  const send =
    (documentOf: (of: typeof config) => object): Handler =>
    (_request, reply) =>
      reply
        .headers({
          'content-type': 'application/json; charset=utf-8',
          'cache-control': 'public, max-age=300',
          'access-control-allow-origin': '*',
        })
        .send(JSON.stringify(documentOf(config)));
  const registerAll = (described: ReturnType<typeof metadataPaths>, handler: Handler) => {
    for (const url of Object.keys(described)) openPath(app, described, url, handler, config);
  };
  registerAll(metadataPaths(config.issuer), send(metadataOf));
  registerAll(protectedResourcePaths(config.issuer), send(protectedResourceOf));
};
