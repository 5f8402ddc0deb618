import type { FastifyInstance } from 'fastify';
import { makeStaticTextLater } from '../compression/static-text.ts';
import type { HttpDependencies } from '../base/dependencies.ts';
import { sendProblem } from '../answers/send-problem.ts';
import { pagePath } from '../base/routes.ts';
import { stylesheet, stylesheetPath } from './stylesheet.ts';

/** The stylesheet has its own address, so that no page needs `unsafe-inline`. */
export const registerStylesheet = (app: FastifyInstance, dependencies: HttpDependencies): void =>
  registerAsset(app, dependencies, stylesheetPath, stylesheet);

/** A stylesheet or a script whose address changes with its content. */
export const registerAsset = (
  app: FastifyInstance,
  { config }: HttpDependencies,
  address: string,
  text: string | (() => string),
  mediaType: 'text/css' | 'text/javascript' = 'text/css',
): void => {
  const send = makeStaticTextLater(
    `${mediaType}; charset=utf-8`,
    typeof text === 'string' ? () => text : text,
  );
  const headers = {
    'cache-control': 'public, max-age=31536000, immutable',
    'x-content-type-options': 'nosniff',
  } as const;
  pagePath(
    app,
    address,
    { GET: (request, reply) => send(request, reply.headers(headers)) },
    (request, reply) => sendProblem(request, reply, config.baseUrl, 'method-not-allowed'),
  );
};
