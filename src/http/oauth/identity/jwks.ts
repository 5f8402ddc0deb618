import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { hash } from 'node:crypto';
import type { KeySet } from '../../contracts/discovery.ts';
import { sendOpenDocument } from '../../requests/cors.ts';
import { isSameTag } from '../../answers/etag.ts';
import type { DiscoveryDependencies } from './dependencies.ts';
import { keyPaths } from './discovery-paths.ts';

/** `/oauth/jwks`: the keys that verify id_tokens (RFC 7517 §5). A new key is published long before it signs (JW-02). */
export const registerJwks = (app: FastifyInstance, { config, idTokens }: DiscoveryDependencies): void => {
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
  sendOpenDocument(app, keyPaths, '/oauth/jwks', jwks, config);
};
