import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { hash } from 'node:crypto';
import { isSameTag } from '../etag.ts';
import type { HttpConfig } from '../needs.ts';
import { sendProblem } from '../problems.ts';
import { path } from '../routes.ts';

/** A document about the interface, as it is sent. */
export type Documented<T = unknown> = {
  readonly document: T;
  readonly text: string;
  readonly etag: string;
};

/** The document for the addresses of this service, made once for each: the address may be known only after `listen`. */
export const madeOnce = <T extends object>(config: HttpConfig, make: () => T): (() => Documented<T>) => {
  let made: (Documented<T> & { readonly key: string }) | undefined;
  return () => {
    const { baseUrl, issuer } = config;
    const key = `${baseUrl} ${issuer}`;
    if (made?.key !== key) {
      const document = make();
      const text = JSON.stringify(document);
      made = { key, document, text, etag: `"${hash('sha256', text, 'base64url').slice(0, 22)}"` };
    }
    return made;
  };
};

/** For tools of any site. */
export const sendDocumentAt = (
  app: FastifyInstance,
  url: string,
  config: HttpConfig,
  documented: () => Documented,
): void => {
  const send = (request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    const { text, etag } = documented();
    reply.headers({ etag, 'cache-control': 'public, max-age=300', 'access-control-allow-origin': '*' });
    if (isSameTag(request.headers['if-none-match'], etag)) return reply.code(304).send();
    return reply.header('content-type', 'application/json; charset=utf-8').send(text);
  };
  path(app, url, { GET: send }, (request, reply) =>
    sendProblem(request, reply, config.baseUrl, 'method-not-allowed'),
  );
};
