import { docsPaths } from '../docs/docs-paths.ts';
import type { FastifyInstance } from 'fastify';
import { makeStaticText, type SendStatic } from '../compression/static-text.ts';
import type { HttpConfig } from '../base/dependencies.ts';
import { sendOpenDocument } from '../requests/cors.ts';
import type { Handler } from '../base/routes.ts';

/** A document of the interface in the form in which it is sent. */
export type Documented<T = unknown> = {
  readonly document: T;
  readonly send: SendStatic;
};

/** Creates the document on first use: the public address may be known only after `listen`. */
export const madeOnce = <T extends object>(config: HttpConfig, make: () => T): (() => Documented<T>) => {
  let made: (Documented<T> & { readonly key: string }) | undefined;
  return () => {
    const { baseUrl, issuer } = config;
    const key = `${baseUrl} ${issuer}`;
    if (made?.key !== key) {
      const document = make();
      const send = makeStaticText('application/json; charset=utf-8', JSON.stringify(document));
      made = { key, document, send };
    }
    return made;
  };
};

/** Readable by tools on any site. */
export const sendDocumentAt = (
  app: FastifyInstance,
  url: '/openapi.json' | '/asyncapi.json',
  config: HttpConfig,
  documented: () => Documented,
): void => {
  const headers = { 'cache-control': 'public, max-age=300', 'access-control-allow-origin': '*' } as const;
  const send: Handler = (request, reply) => documented().send(request, reply.headers(headers));
  sendOpenDocument(app, { [url]: docsPaths[url] }, url, send, config);
};
