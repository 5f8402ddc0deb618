import { randomBytes } from 'node:crypto';
import fastify, { type FastifyInstance, type FastifyRequest } from 'fastify';
import { recordResources } from '../../domain/records/record-resources.ts';
import type { Telemetry } from '../../observability/tracing/telemetry.ts';
import { parseTraceparent } from '../../observability/tracing/traceparent.ts';
import { edgeHeaders } from '../answers/edge-headers.ts';
import { UnacceptableRequest } from '../answers/failures.ts';
import { answerWithProblems } from '../answers/scope-handlers.ts';
import { basePathOf, beginningOf, withoutBase } from '../base/base-path.ts';
import type { Base, HttpLogger } from '../base/dependencies.ts';
import { routedMethods } from '../base/routes.ts';
import { compressAnswers } from '../compression/compress-answers.ts';
import { makeConnectionTable, type ConnectionTable, makeIsProxy } from '../connections/connection-table.ts';
import { makeDrain } from '../connections/graceful-shutdown.ts';
import { makeServer } from '../connections/make-server.ts';
import { noRoute } from '../metrics/count-requests.ts';
import { withoutPort } from './client-network.ts';
import { asQuery } from './params.ts';
import { inTrace, useTrace } from './trace.ts';

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
  const { trustedProxies = [], requestTimeout = 20_000, keepAliveTimeout = 72_000 } = config;
  const table = makeConnectionTable(maxConnections, trustedProxies);
  const isProxy = makeIsProxy(trustedProxies);
  const drain = makeDrain(table);
  const problems = answerWithProblems(dependencies);
  const prefix = randomBytes(4).toString('hex');
  let count = 0;
  const beginnings = new Set<string>();
  const methods = routedMethods();
  const app = fastify({
    logger: false,
    bodyLimit,
    // Also the id of the request's span.
    genReqId: () => prefix + (count = (count + 1) >>> 0).toString(16).padStart(8, '0'),
    requestIdHeader: false,
    // A hop may have a port, in every position.
    trustProxy: trustedProxies.length > 0 && ((hop) => isProxy(withoutPort(hop))),
    serverFactory: (handle) =>
      makeServer(handle, { table, requestTimeout, keepAliveTimeout, drain, baseUrl: () => config.baseUrl }),
    clientErrorHandler: () => undefined, // the handler of `makeServer` does it
    return503OnClosing: false, // requests that have arrived are answered
    frameworkErrors: (error, request, reply) =>
      void problems.onError(error, request, reply.headers(edgeHeaders(config.baseUrl))),
    rewriteUrl: (request) => {
      methods.route(request);
      return withoutNul(withoutBase(request.url ?? '/', basePathOf(config.baseUrl), beginnings));
    },
    routerOptions: { querystringParser: asQuery, maxParamLength: 2048 },
  });
  app.addHook('onRoute', ({ url }) => beginningOf(url).forEach((each) => beginnings.add(each)));
  app.addHook('onRequest', ({ raw }, _reply, done) => {
    methods.restore(raw);
    done();
  });
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

/** NUL in a path as U+FFFD: no database holds it, so that an id with it is one of nothing, as with other characters (FX-76). */
const withoutNul = (url: string): string =>
  url.includes('%00') ? url.replace(/^[^?]*/, (path) => path.replaceAll('%00', '%EF%BF%BD')) : url;

/** The route as written in the code: an address may contain codes, tokens, state (G-05), or anything (CL-09). */
const pathOf = ({ is404, routeOptions }: FastifyRequest): string =>
  (is404 ? undefined : routeOptions.url) ?? noRoute;

/** One line a request, after the answer, without header, body or query; frequent routes at debug level. */
const logRequests = (app: FastifyInstance, logger: HttpLogger): void => {
  const lists = recordResources.map(({ path }) => path).join('|');
  const quiet = new RegExp(`^/(oauth/token|${lists}|health/|assets/)`);
  app.addHook('onResponse', (request, reply, done) => {
    const { statusCode } = reply;
    const level = statusCode >= 500 ? 'warn' : quiet.test(request.url) ? 'debug' : 'info';
    if (logger.isLevelEnabled(level)) {
      const ms = Math.round(reply.elapsedTime * 10) / 10;
      logger[level](
        {
          requestId: request.id,
          ...inTrace(request),
          method: request.method,
          path: pathOf(request),
          status: statusCode,
          ms,
        },
        'request',
      );
    }
    done();
  });
};

/**
 * Checks that Node's parser leaves to the server: one valid Host field (RFC 9112 §3.2), supported transfer codings
 * (§6.1), content codings (RFC 9110 §8.4) and expectations (§10.1.1). Undefined when nothing is wrong.
 */
const unacceptable = ({
  raw,
  headers,
}: Pick<FastifyRequest, 'raw' | 'headers'>): UnacceptableRequest | undefined => {
  if (raw.httpVersion !== '1.0') {
    const wrong = hostProblem(raw.rawHeaders);
    if (wrong !== undefined) return new UnacceptableRequest('malformed-request', wrong);
  }
  const { 'transfer-encoding': transfer, 'content-encoding': content, expect } = headers;
  if (transfer !== undefined && transfer.toLowerCase() !== 'chunked') return wrongTransfer(transfer);
  if (content !== undefined && !/^(identity)?$/i.test(content.trim()) && hasBody(headers))
    return new UnacceptableRequest('unsupported-content-encoding', 'Send the body without Content-Encoding');
  if (expect !== undefined && expect.toLowerCase() !== '100-continue')
    return new UnacceptableRequest('expectation-failed', 'The only expectation that is met is 100-continue');
  return undefined;
};

const host = /^(?:(?:[\w\-.~!$&'()*+,;=]|%[0-9a-f]{2})+|\[[0-9a-f:.]+\])(?::\d{0,5})?$/i;

const hostProblem = (rawHeaders: readonly string[]): string | undefined => {
  let found: string | undefined;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? '';
    if (name.length !== 4 || name.toLowerCase() !== 'host') continue;
    if (found !== undefined) return 'There is more than one Host field';
    found = rawHeaders[index + 1] ?? '';
  }
  if (found === undefined) return 'There is no Host field';
  return host.test(found.trim()) ? undefined : 'The Host field is not a host with an optional port';
};

const wrongTransfer = (value: string): UnacceptableRequest =>
  value.split(',').every((coding) => coding.trim().toLowerCase() === 'chunked')
    ? new UnacceptableRequest('malformed-request', 'Transfer-Encoding names chunked more than once')
    : new UnacceptableRequest('unsupported-transfer-encoding', 'The only transfer coding is chunked');

const hasBody = (headers: FastifyRequest['headers']): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;

type Tracing = Pick<Telemetry, 'beginRequest' | 'record'> | null;

/** A span for each request, as the parent of all work for it. Nothing without telemetry. */
const traceRequests = (app: FastifyInstance, telemetry: Tracing | undefined): void => {
  if (!telemetry) return;
  app.addHook('onRequest', (request, reply, done) => {
    const began = performance.now();
    const span = telemetry.beginRequest(request.method, parseTraceparent(request.headers['traceparent']));
    useTrace(request, span.context);
    reply.raw.once('close', () => {
      const route = (request.is404 ? undefined : request.routeOptions.url) ?? noRoute;
      span.answered(route, reply.statusCode);
      span.end();
      const { method } = request;
      telemetry.record(duration, (performance.now() - began) / 1000, { method, route });
    });
    span.run(done);
  });
};

const duration = 'grantbook_http_request_duration_seconds';

/** Enough for health checks and scrapers of the operator. */
const managementConnections = 64;

/** The server of `MANAGEMENT_PORT`, without routes: `composeServer` adds the routes that are only for operators. */
export const buildManagementServer = (dependencies: BaseServerDependencies): FastifyInstance =>
  makeBaseServer(dependencies, managementConnections).app;
