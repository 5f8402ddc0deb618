import { makeHistogram, type Histogram } from '../metrics/histogram.ts';
import { gauge, type Labels, type Metric } from '../metrics/metric.ts';
import type { SpanKind, Telemetry } from './telemetry.ts';

/** What the service waits for: each is a span, and those with a histogram are in `/metrics`. */
const kinds = {
  append: 'client',
  read: 'client',
  query: 'client',
  fence: 'internal',
  publish: 'producer',
} as const satisfies Record<string, SpanKind>;

export type Operation = keyof typeof kinds;

/** Ends an operation. @param error what it failed with */
export type End = (error?: unknown) => void;

export type Operations = {
  /** @param detail of a small, closed set: a stream category, the name of a statement, a topic */
  begin(operation: Operation, detail: string): End;
  around<T>(operation: Operation, detail: string, work: () => Promise<T>): Promise<T>;
  metrics(): readonly Metric[];
};

/** Times everything that the service waits for. Without `telemetry` that costs two clock reads and an addition. */
export const makeOperations = (telemetry: Telemetry | null): Operations => {
  const histograms = makeHistograms(telemetry);
  const underWay = new Map<Operation, number>();
  const count = (operation: Operation, by: number) =>
    underWay.set(operation, (underWay.get(operation) ?? 0) + by);
  for (const operation of Object.keys(kinds) as Operation[]) count(operation, 0);

  const timer = (operation: Operation): End => {
    const began = performance.now();
    count(operation, 1);
    return () => {
      count(operation, -1);
      histograms[operation]?.observe((performance.now() - began) / 1000);
    };
  };
  const spanOf = (operation: Operation, detail: string) =>
    telemetry?.begin(`${operation} ${detail}`, kinds[operation], { 'grantbook.operation': operation });

  return {
    begin: (operation, detail) => {
      const [done, span] = [timer(operation), spanOf(operation, detail)];
      return (error) => {
        done();
        span?.end(error);
      };
    },
    around: async (operation, detail, work) => {
      const [done, span] = [timer(operation), spanOf(operation, detail)];
      let failure: unknown;
      try {
        return await (span ? span.run(work) : work());
      } catch (error) {
        failure = error;
        throw error;
      } finally {
        done();
        span?.end(failure);
      }
    },
    metrics: () => [
      ...Object.values(histograms).map((histogram) => histogram.metric()),
      gauge(
        'grantbook_operations_under_way',
        'What the service waits for at this moment.',
        [...underWay].map(([operation, value]) => ({ labels: { operation }, value })),
      ),
    ],
  };
};

const makeHistograms = (telemetry: Telemetry | null) => {
  const made = (name: string, help: string) =>
    makeHistogram(
      name,
      help,
      telemetry && ((seconds, labels: Labels) => telemetry.record(name, seconds, labels)),
    );
  return {
    append: made('grantbook_eventstore_append_seconds', 'From an append to its outcome, retries included.'),
    read: made(
      'grantbook_eventstore_read_seconds',
      'From the request of a stream to the arrival of its events.',
    ),
    query: made('grantbook_postgres_query_seconds', 'From a statement to its answer.'),
  } satisfies Partial<Record<Operation, Histogram>> as Partial<Record<Operation, Histogram>>;
};
