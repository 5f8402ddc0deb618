import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { hash } from 'node:crypto';
import { isSameTag } from '../etag.ts';
import type { HttpNeeds } from '../needs.ts';
import { sendProblem } from '../problems.ts';
import { path } from '../routes.ts';
import { describeRoutes } from './describe-routes.ts';
import { openApiDocument, type OpenApiDocument } from './document.ts';

export type Documented = { readonly document: OpenApiDocument; readonly text: string; readonly etag: string };

/** The document for the addresses of this service, made once for each: the address may be known only after `listen`. */
export const makeDocument = ({
  config,
  version,
}: Pick<HttpNeeds, 'config' | 'version'>): (() => Documented) => {
  let made: (Documented & { readonly key: string }) | undefined;
  return () => {
    const { baseUrl, issuer, secureCookies } = config;
    const key = `${baseUrl} ${issuer}`;
    if (made?.key !== key) {
      const document = openApiDocument(describeRoutes(config), { baseUrl, issuer, secureCookies, version });
      const text = JSON.stringify(document);
      made = { key, document, text, etag: `"${hash('sha256', text, 'base64url').slice(0, 22)}"` };
    }
    return made;
  };
};

/** `/openapi.json`: for tools of any site. */
export const registerOpenApi = (
  app: FastifyInstance,
  { config }: HttpNeeds,
  documented: () => Documented,
): void => {
  const send = (request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    const { text, etag } = documented();
    reply.headers({ etag, 'cache-control': 'public, max-age=300', 'access-control-allow-origin': '*' });
    if (isSameTag(request.headers['if-none-match'], etag)) return reply.code(304).send();
    return reply.header('content-type', 'application/json; charset=utf-8').send(text);
  };
  path(app, '/openapi.json', { GET: send }, (request, reply) =>
    sendProblem(request, reply, config.baseUrl, 'method-not-allowed'),
  );
};
