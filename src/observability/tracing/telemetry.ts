import type { Labels, Metric } from '../metrics/metric.ts';
import type { TraceContext } from './traceparent.ts';

/** Receives spans and measurements when OTEL_EXPORTER_OTLP_ENDPOINT is set; implemented in `open-telemetry.ts`. */
export type Telemetry = {
  /** Begins a span under the active one. Names contain no ids. */
  begin(name: string, kind: SpanKind, labels: Labels): Span;
  /** Begins the span of a request: under the caller's, or the first of a new trace. */
  beginRequest(method: string, caller: TraceContext | null): RequestSpan;
  /** Adds to a histogram, in seconds. */
  record(histogram: string, seconds: number, labels: Labels): void;
  /** From now on these metrics are exported at each interval, too; histograms come by `record`. */
  exportMetrics(collect: () => Promise<readonly Metric[]>): void;
  /** Fields of a log line for the active span: `trace_id` and `span_id`. */
  logFields(): Readonly<Record<string, string>>;
  /** Sends what is left, for a bounded time. */
  stop(): Promise<void>;
};

export type SpanKind = 'client' | 'producer' | 'internal';

export type Span = {
  /** Runs work with the span as the active one: spans that begin inside are its children. */
  run<T>(work: () => T): T;
  /** @param error what the work failed with; its name or code is recorded, its message is not */
  end(error?: unknown): void;
};

export type RequestSpan = Span & {
  readonly context: TraceContext;
  answered(route: string, status: number): void;
};
