import {
  context,
  diag,
  DiagLogLevel,
  isSpanContextValid,
  ROOT_CONTEXT,
  SpanKind as Kind,
  SpanStatusCode,
  trace,
  type Context,
  type Span as ApiSpan,
  type Tracer,
} from '@opentelemetry/api';
import { NodeSDK, resources } from '@opentelemetry/sdk-node';
import { withTimeoutOrNull } from '../../common/with-timeout.ts';
import { exportedMetrics } from './exported-metrics.ts';
import type { RequestSpan, Span, SpanKind, Telemetry } from './telemetry.ts';
import type { TraceContext } from './traceparent.ts';

type Dependencies = {
  readonly version: string;
  readonly warn: (context: object, message: string) => void;
};

const name = 'grantbook';
const kindOf: Record<SpanKind, Kind> = {
  client: Kind.CLIENT,
  producer: Kind.PRODUCER,
  internal: Kind.INTERNAL,
};

/**
 * The longest time in milliseconds that stopping may take, so that an unreachable collector does not keep the service
 * from stopping.
 */
const patience = 2_000;

/**
 * The standard SDK, which reads its settings from the standard `OTEL_…` names by itself. Loaded only when it is
 * configured: keeping a context across promises (AsyncLocalStorage) costs a fifth of a request on Node 20.
 */
export const startOpenTelemetry = ({ version, warn }: Dependencies): Telemetry => {
  const said = (message: string) => warn({ reason: message }, 'OpenTelemetry export fails');
  const ignore = () => undefined;
  diag.setLogger(
    { error: said, warn: said, info: ignore, debug: ignore, verbose: ignore },
    DiagLogLevel.WARN,
  );
  const resource = resources.resourceFromAttributes({ 'service.name': name, 'service.version': version });
  const sdk = new NodeSDK({ resource }); // the environment's resource attributes override it
  sdk.start();
  const tracer = trace.getTracer(name, version);
  return {
    begin: (title, kind, labels) =>
      spanIn(context.active(), tracer.startSpan(title, { kind: kindOf[kind], attributes: labels })),
    beginRequest: (method, caller) => beginRequest(tracer, method, caller),
    ...exportedMetrics(name, version),
    logFields: () => {
      const active = trace.getSpanContext(context.active());
      return active && isSpanContextValid(active) ? { trace_id: active.traceId, span_id: active.spanId } : {};
    },
    stop: async () => {
      const sent = sdk
        .shutdown()
        .catch((err: unknown) => warn({ err }, 'OpenTelemetry: not everything was sent'));
      await withTimeoutOrNull(patience, sent);
    },
  };
};

const spanIn = (parent: Context, span: ApiSpan): Span => ({
  run: (work) => context.with(trace.setSpan(parent, span), work),
  end: (error) => {
    if (error !== undefined) span.setStatus({ code: SpanStatusCode.ERROR, message: causeOf(error) });
    span.end();
  },
});

const beginRequest = (tracer: Tracer, method: string, caller: TraceContext | null): RequestSpan => {
  const parent = caller ? trace.setSpanContext(ROOT_CONTEXT, remote(caller)) : ROOT_CONTEXT;
  const attributes = { 'http.request.method': method };
  const span = tracer.startSpan(`request ${method}`, { kind: Kind.SERVER, attributes }, parent);
  const { traceId, spanId, traceFlags } = span.spanContext();
  return {
    ...spanIn(parent, span),
    context: { traceId, spanId, flags: traceFlags },
    answered: (route, status) => {
      span.updateName(`request ${method} ${route}`);
      span.setAttributes({ 'http.route': route, 'http.response.status_code': status });
      if (status >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
    },
  };
};

const remote = ({ traceId, spanId, flags }: TraceContext) => ({
  traceId,
  spanId,
  traceFlags: flags,
  isRemote: true,
});

/** A name or a code: the message of an error may quote data. */
const causeOf = (error: unknown): string => {
  const { code, name: kind } = error as { readonly code?: unknown; readonly name?: unknown };
  return typeof code === 'string' ? code : typeof kind === 'string' ? kind : 'failure';
};
