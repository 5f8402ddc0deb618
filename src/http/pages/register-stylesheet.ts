import type { FastifyInstance, FastifyPluginCallback } from 'fastify';
import { makeStaticTextLater } from '../compression/static-text.ts';
import type { Base } from '../base/dependencies.ts';
import { methodNotAllowed } from '../answers/send-problem.ts';
import { pagePath } from '../base/routes.ts';
import { scope } from '../base/scopes.ts';
import { brandView } from './brand-view.ts';
import { pageScript, pageScriptPath } from './page-script.ts';

/** The stylesheet and the script have their own addresses, so that no page needs `unsafe-inline`. */
export const stylesheets = (dependencies: Pick<Base, 'config'>): FastifyPluginCallback =>
  scope((app) => {
    const { path, text } = brandView(dependencies.config.brand ?? null).stylesheet;
    registerAsset(app, dependencies, path, text);
    registerAsset(app, dependencies, pageScriptPath, pageScript, 'text/javascript');
  });

/** A stylesheet or a script whose address changes with its content. */
export const registerAsset = (
  app: FastifyInstance,
  { config }: Pick<Base, 'config'>,
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
    methodNotAllowed(config.baseUrl),
  );
};
