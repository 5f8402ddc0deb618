import type { FastifyInstance } from 'fastify';
import type { HttpNeeds } from '../needs.ts';
import { sendProblem } from '../problems.ts';
import { path } from '../routes.ts';
import { stylesheet, stylesheetPath } from './stylesheet.ts';

/** The stylesheet has an address of its own, so that no page needs `unsafe-inline`. */
export const registerStylesheet = (app: FastifyInstance, needs: HttpNeeds): void =>
  registerAsset(app, needs, stylesheetPath, stylesheet);

/** A stylesheet whose address changes with its content. */
export const registerAsset = (
  app: FastifyInstance,
  { config }: HttpNeeds,
  address: string,
  css: string,
): void =>
  path(
    app,
    address,
    {
      GET: (_request, reply) =>
        reply
          .headers({
            'content-type': 'text/css; charset=utf-8',
            'cache-control': 'public, max-age=31536000, immutable',
            'x-content-type-options': 'nosniff',
          })
          .send(css),
    },
    (request, reply) => sendProblem(request, reply, config.baseUrl, 'method-not-allowed'),
  );
