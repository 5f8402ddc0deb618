import type { Labels, Metric } from '../metrics/metric.ts';
import type { TraceContext } from './traceparent.ts';

/** What spans and measurements are handed to when OTEL_EXPORTER_OTLP_ENDPOINT is set; `open-telemetry.ts` makes one. */
export type Telemetry = {
  /** Begins a span under the one that is active here. Names hold no ids. */
  begin(name: string, kind: SpanKind, labels: Labels): Span;
  /** Begins the span of a request: under the caller's, or the first of a new trace. */
  beginRequest(method: string, caller: TraceContext | null): RequestSpan;
  /** Adds to a histogram, in seconds. */
  record(histogram: string, seconds: number, labels: Labels): void;
  /** From now on these go out at each interval, too; histograms come by `record`. */
  exportMetrics(collect: () => Promise<readonly Metric[]>): void;
  /** What a log line says of the span that is active: `trace_id` and `span_id`. */
  logFields(): Readonly<Record<string, string>>;
  /** Sends what is left, for a bounded time. */
  stop(): Promise<void>;
};

export type SpanKind = 'client' | 'producer' | 'internal';

export type Span = {
  /** Runs work with the span as the active one: what begins inside is under it. */
  run<T>(work: () => T): T;
  /** @param error what the work ended with; its name or code is kept, its message is not */
  end(error?: unknown): void;
};

export type RequestSpan = Span & {
  readonly context: TraceContext;
  /** Names the span after the route, as it is written in the code. */
  answered(route: string, status: number): void;
};
