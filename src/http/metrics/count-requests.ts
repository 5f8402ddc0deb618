import type { FastifyInstance } from 'fastify';
import { makeBuckets, type Buckets } from '../../common/buckets.ts';
import type { Metric } from '../../observability/metrics/metric.ts';

/** In milliseconds. A list page and a refresh take a few; a sign-in waits for a password hash. */
const bounds = [1, 2.5, 5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 10_000] as const;

type Counts = {
  readonly method: string;
  readonly route: string;
  readonly statuses: Map<number, number>;
  readonly durations: Buckets;
};

/** For requests without a route: unknown addresses must not become labels. */
export const noRoute = '(none)';

/** Counts answers by their route in the code, never by the address; a request costs one look-up and three additions. */
export const countRequests = (app: FastifyInstance): (() => readonly Metric[]) => {
  const all: Counts[] = [];
  const countsOf = (route: string) => {
    const byMethod = new Map<string, Counts>();
    return (method: string): Counts => {
      const known = byMethod.get(method);
      if (known) return known;
      const durations = makeBuckets(bounds, 1_000);
      const counts = { method, route, statuses: new Map<number, number>(), durations };
      byMethod.set(method, counts);
      all.push(counts);
      return counts;
    };
  };
  const unrouted = countsOf(noRoute);
  app.addHook('onRoute', (route) => {
    const ofRoute = countsOf(route.url);
    const others = [route.onResponse ?? []].flat();
    route.onResponse = [
      (request, reply, done) => {
        count(ofRoute(request.method), reply.statusCode, reply.elapsedTime);
        done();
      },
      ...others,
    ];
  });
  app.addHook('onResponse', (request, reply, done) => {
    if (request.is404) count(unrouted(request.method), reply.statusCode, reply.elapsedTime);
    done();
  });
  return () => metricsOf(all);
};

const count = ({ statuses, durations }: Counts, status: number, ms: number): void => {
  statuses.set(status, (statuses.get(status) ?? 0) + 1);
  durations.add(ms);
};

const metricsOf = (all: readonly Counts[]): readonly Metric[] => [
  {
    name: 'grantbook_http_requests_total',
    help: 'Requests that were answered.',
    type: 'counter',
    samples: all.flatMap(({ method, route, statuses }) =>
      [...statuses].map(([status, value]) => ({ labels: { method, route, status: String(status) }, value })),
    ),
  },
  {
    name: 'grantbook_http_request_duration_seconds',
    help: 'From the arrival of a request to the end of its answer.',
    type: 'histogram',
    samples: all.flatMap(({ method, route, durations }) => durations.samples({ method, route })),
  },
];
