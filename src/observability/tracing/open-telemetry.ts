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
  metrics,
  type Histogram,
  type Observable,
  type ObservableResult,
} from '@opentelemetry/api';
import { NodeSDK, resources } from '@opentelemetry/sdk-node';
import { withTimeoutOrNull } from '../../common/with-timeout.ts';
import { histogramBounds } from '../metrics/histogram.ts';
import type { Metric } from '../metrics/metric.ts';
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

/** The longest time in milliseconds that stopping takes, even if the collector cannot be reached. */
const patience = 2_000;

/** The standard SDK with its `OTEL_…` settings, loaded only when configured: AsyncLocalStorage costs a fifth of a request on Node 20. */
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

/** How long one collection serves all instruments of an export, in milliseconds. */
const fresh = 1_000;

/** Passes the metrics of `/metrics` to the SDK: counters and gauges when it asks, histograms as they happen. */
const exportedMetrics = (name: string, version: string): Pick<Telemetry, 'record' | 'exportMetrics'> => {
  const meter = metrics.getMeter(name, version);
  const histograms = new Map<string, Histogram>();
  const explicitBucketBoundaries = [...histogramBounds];
  const histogramOf = (title: string): Histogram => {
    const made =
      histograms.get(title) ??
      meter.createHistogram(title, { unit: 's', advice: { explicitBucketBoundaries } });
    histograms.set(title, made);
    return made;
  };
  const instrumentOf = ({ name: title, help, type }: Metric): Observable =>
    type === 'counter'
      ? meter.createObservableCounter(title, { description: help })
      : meter.createObservableGauge(title, { description: help });

  return {
    record: (title, seconds, labels) => histogramOf(title).record(seconds, labels),
    exportMetrics: (collect) => {
      const known = new Set<string>();
      let last: { readonly at: number; readonly all: Promise<readonly Metric[]> } | null = null;
      const collected = () => {
        const at = performance.now();
        if (last === null || at - last.at >= fresh) last = { at, all: collect().then(learn) };
        return last.all;
      };
      const learn = (all: readonly Metric[]) => {
        for (const metric of all)
          if (metric.type !== 'histogram' && !known.has(metric.name)) {
            known.add(metric.name);
            instrumentOf(metric).addCallback(async (result) =>
              observe(result, await collected(), metric.name),
            );
          }
        return all;
      };
      collected().catch(() => (last = null)); // the instruments that exist by then; others join when they are first seen
    },
  };
};

const observe = (result: ObservableResult, all: readonly Metric[], name: string): void => {
  for (const { labels, value } of all.find((metric) => metric.name === name)?.samples ?? [])
    result.observe(value, labels);
};
