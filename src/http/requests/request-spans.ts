import type { FastifyInstance } from 'fastify';
import { noRoute } from '../metrics/count-requests.ts';
import type { Telemetry } from '../../observability/tracing/telemetry.ts';
import { useTrace } from './trace.ts';
import { parseTraceparent } from '../../observability/tracing/traceparent.ts';

export type Tracing = Pick<Telemetry, 'beginRequest' | 'record'> | null;

/** A span for each request, as the parent of all work for it. Nothing without telemetry. */
export const traceRequests = (app: FastifyInstance, telemetry: Tracing | undefined): void => {
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
