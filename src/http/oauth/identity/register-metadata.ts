import type { FastifyInstance } from 'fastify';
import { sendOpenDocument } from '../../requests/cors.ts';
import type { DiscoveryDependencies } from './dependencies.ts';
import type { Handler } from '../../base/routes.ts';
import { metadataPaths, protectedResourcePaths } from './discovery-paths.ts';
import { metadataOf, protectedResourceOf } from './metadata.ts';

/** Metadata of the authorization server and of the lists, under all paths that clients look for. */
export const registerMetadata = (
  app: FastifyInstance,
  { config }: Pick<DiscoveryDependencies, 'config'>,
): void => {
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
    for (const url of Object.keys(described)) sendOpenDocument(app, described, url, handler, config);
  };
  registerAll(metadataPaths(config.issuer), send(metadataOf));
  registerAll(protectedResourcePaths(config.issuer), send(protectedResourceOf));
};
