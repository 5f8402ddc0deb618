import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { HttpDependencies } from '../dependencies.ts';
import { path } from '../routes.ts';
import { sendProblem } from '../send-problem.ts';
import { metadataPaths } from './discovery-paths.ts';
import { metadataOf } from './metadata.ts';

/** Server metadata under both paths that clients look for. */
export const registerMetadata = (app: FastifyInstance, { config }: HttpDependencies): void => {
  const metadata = (_request: FastifyRequest, reply: FastifyReply): FastifyReply =>
    reply
      .headers({
        'content-type': 'application/json; charset=utf-8',
        'cache-control': 'public, max-age=300',
        'access-control-allow-origin': '*',
      })
      .send(JSON.stringify(metadataOf(config)));
  const described = metadataPaths(config.issuer);
  for (const url of Object.keys(described))
    path(app, described, url, { GET: metadata }, (request, reply) =>
      sendProblem(request, reply, config.baseUrl, 'method-not-allowed'),
    );
};
