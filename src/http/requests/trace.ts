import type { FastifyRequest } from 'fastify';
import type { CommandContext } from '../../commands/kernel/context.ts';
import {
  formatTraceparent,
  nextInTrace,
  parseTraceparent,
  type TraceContext,
} from '../../observability/tracing/traceparent.ts';

const known = new WeakMap<FastifyRequest, TraceContext>();

/** Continues the caller's `traceparent` or begins a trace; the span is the request's id, unless exported. Made on first use. */
export const traceOf = (request: FastifyRequest): TraceContext => {
  const before = known.get(request);
  if (before) return before;
  const trace = nextInTrace(parseTraceparent(request.headers['traceparent']), request.id);
  known.set(request, trace);
  return trace;
};

/** Sets the request's span, where spans are exported. */
export const useTrace = (request: FastifyRequest, trace: TraceContext): void =>
  void known.set(request, trace);

export const contextOf = (request: FastifyRequest): CommandContext => ({
  traceparent: formatTraceparent(traceOf(request)),
});

/** For problem details: identifies the trace and the span of this answer. */
export const traceUrn = ({ traceId, spanId }: TraceContext): string => `urn:trace:${traceId}:${spanId}`;

/** For log lines; OpenTelemetry defines the names `trace_id` and `span_id`. */
export const inTrace = (request: FastifyRequest) => {
  const { traceId, spanId } = traceOf(request);
  return { traceId, trace_id: traceId, span_id: spanId };
};
