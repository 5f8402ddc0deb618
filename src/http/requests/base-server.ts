import fastify, { type FastifyInstance } from 'fastify';
import { randomBytes } from 'node:crypto';
import { METHODS } from 'node:http';
import { basePathOf, beginningOf, withoutBase } from '../base/base-path.ts';
import { compressAnswers } from '../compression/compress-answers.ts';
import { withoutPort } from './client-network.ts';
import { makeIsProxy } from '../connections/is-proxy.ts';
import { makeConnectionTable, type ConnectionTable } from '../connections/connection-table.ts';
import { makeDrain } from '../connections/graceful-shutdown.ts';
import { makeServer } from '../connections/make-server.ts';
import { edgeHeaders } from '../answers/edge-headers.ts';
import type { Base } from '../base/dependencies.ts';
import { parseParams } from './params.ts';
import { answerWithProblems } from '../answers/scope-handlers.ts';
import { logRequests } from './request-log.ts';
import { traceRequests, type Tracing } from './request-spans.ts';
import { unacceptable } from './request-rules.ts';

/** In bytes. Forms and JSON bodies are small; a page's form carries a signed authorization request. */
const bodyLimit = 64 * 1024;

export type BaseServerDependencies = Pick<Base, 'config' | 'logger' | 'stopping'> & {
  /** Where spans are sent; absent or null: nowhere. */
  readonly telemetry?: Tracing;
};

/** A server without routes: everything that holds for each request and connection. */
export const makeBaseServer = (
  dependencies: BaseServerDependencies,
  maxConnections: number,
): { readonly app: FastifyInstance; readonly table: ConnectionTable } => {
  const { config } = dependencies;
  const { trustedProxies = [], requestTimeout = 20_000 } = config;
  const table = makeConnectionTable(maxConnections, trustedProxies);
  const isProxy = makeIsProxy(trustedProxies);
  const drain = makeDrain(table);
  const problems = answerWithProblems(dependencies);
  const prefix = randomBytes(4).toString('hex');
  let count = 0;
  const beginnings = new Set<string>();
  const app = fastify({
    logger: false,
    bodyLimit,
    // Also the id of the request's span.
    genReqId: () => prefix + (count = (count + 1) >>> 0).toString(16).padStart(8, '0'),
    requestIdHeader: false,
    // A hop may have a port, in every position.
    trustProxy: trustedProxies.length > 0 && ((hop) => isProxy(withoutPort(hop))),
    serverFactory: (handle) =>
      makeServer(handle, { table, requestTimeout, drain, baseUrl: () => config.baseUrl }),
    clientErrorHandler: () => undefined, // the handler of `makeServer` does it
    return503OnClosing: false, // requests that have arrived are answered
    frameworkErrors: (error, request, reply) =>
      void problems.onError(error, request, reply.headers(edgeHeaders(config.baseUrl))),
    rewriteUrl: ({ url = '/' }) => withoutBase(url, basePathOf(config.baseUrl), beginnings),
    routerOptions: { querystringParser: asQuery, maxParamLength: 2048 },
  });
  app.addHook('onRoute', ({ url }) => beginningOf(url).forEach((each) => beginnings.add(each)));
  const more = METHODS.filter((method) => method !== 'CONNECT' && !app.supportedMethods.includes(method));
  for (const method of more) app.addHttpMethod(method);
  drain.whenClosing(app);
  dependencies.stopping.addEventListener('abort', drain.begin, { once: true });
  traceRequests(app, dependencies.telemetry);
  logRequests(app, dependencies.logger);
  app.addHook('onRequest', (request, reply, done) => {
    reply.headers(edgeHeaders(config.baseUrl));
    done(unacceptable(request));
  });
  compressAnswers(app);
  app.setErrorHandler(problems.onError);
  app.setNotFoundHandler(problems.onNotFound);
  return { app, table };
};

/** Our own parameters instead of an object of strings and arrays (G-03, G-04). */
const asQuery = (raw: string) => parseParams(raw) as unknown as Record<string, unknown>;
