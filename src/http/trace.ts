import type { FastifyRequest } from 'fastify';
import type { CommandContext } from '../commands/context.ts';
import {
  formatTraceparent,
  nextInTrace,
  parseTraceparent,
  type TraceContext,
} from '../tracing/traceparent.ts';

const known = new WeakMap<FastifyRequest, TraceContext>();

/**
 * The trace that the caller's `traceparent` continues, or one that begins here; the span is the request's own id, unless
 * spans are kept (`useTrace`). Made when it is first asked for: most answers need none.
 */
export const traceOf = (request: FastifyRequest): TraceContext => {
  const before = known.get(request);
  if (before) return before;
  const trace = nextInTrace(parseTraceparent(request.headers['traceparent']), request.id);
  known.set(request, trace);
  return trace;
};

/** Says which span the request is, where somebody keeps spans. */
export const useTrace = (request: FastifyRequest, trace: TraceContext): void =>
  void known.set(request, trace);

/** What the request's commands are called with. */
export const contextOf = (request: FastifyRequest): CommandContext => ({
  traceparent: formatTraceparent(traceOf(request)),
});

/** For problem details: the trace and in it this very answer. */
export const traceUrn = ({ traceId, spanId }: TraceContext): string => `urn:trace:${traceId}:${spanId}`;

/** For log lines; `trace_id` and `span_id` are the names that OpenTelemetry asks for. */
export const inTrace = (request: FastifyRequest) => {
  const { traceId, spanId } = traceOf(request);
  return { traceId, trace_id: traceId, span_id: spanId };
};
