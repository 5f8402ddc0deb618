import type { FastifyInstance } from 'fastify';
import { makeStaticTextLater } from '../compression/static-text.ts';
import type { DocsDependencies } from '../docs/dependencies.ts';
import { docsPaths } from '../docs/docs-paths.ts';
import { sendOpenDocument } from '../requests/cors.ts';

/**
 * `/openapi.json` for the HTTP interface, `/asyncapi.json` for the Kafka interface: readable by tools on any site.
 */
export const registerDocuments = (
  app: FastifyInstance,
  { config, version, asyncApi }: DocsDependencies,
): void => {
  const sendAt = (url: '/openapi.json' | '/asyncapi.json', make: () => object): void => {
    const send = makeStaticTextLater('application/json; charset=utf-8', () => JSON.stringify(make()));
    const headers = { 'cache-control': 'public, max-age=300', 'access-control-allow-origin': '*' } as const;
    sendOpenDocument(
      app,
      { [url]: docsPaths[url] },
      url,
      (request, reply) => send(request, reply.headers(headers)),
      config,
    );
  };
  sendAt('/openapi.json', () => app.swagger());
  sendAt('/asyncapi.json', () => asyncApi({ baseUrl: config.baseUrl, issuer: config.issuer, version }));
};
