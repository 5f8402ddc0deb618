import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import fastify, { type FastifyInstance } from 'fastify';
import { acceptOptionalJson } from '../answers/scope-handlers.ts';
import { asQuery } from '../requests/params.ts';
import type { OperatorApiDependencies } from './dependencies.ts';
import { registerApi } from './operator-api.ts';

/** Nobody sends more than a command was given. */
const unlimited = Number.MAX_SAFE_INTEGER;

/**
 * The API alone, for requests that are injected: nothing listens, and what holds for strangers is left out.
 * @param onFailure what was thrown, also by an answer that has begun; whoever asked explains it
 */
export const buildOperatorApp = (
  dependencies: OperatorApiDependencies,
  onFailure: (error: unknown) => void,
): FastifyInstance => {
  const app = fastify({
    logger: false,
    bodyLimit: unlimited,
    genReqId: () => randomBytes(8).toString('hex'), // the id of a span
    routerOptions: { querystringParser: asQuery, maxParamLength: unlimited },
  });
  app.setErrorHandler((error, _request, reply) => {
    onFailure(error);
    return reply.code(500).send();
  });
  app.addHook('onSend', (_request, _reply, payload, done) => {
    if (payload instanceof Readable) payload.on('error', onFailure);
    done(null, payload);
  });
  acceptOptionalJson(app);
  registerApi(app, dependencies, 'as-stream');
  return app;
};
