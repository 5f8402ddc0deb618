import type { FastifyPluginCallback } from 'fastify';
import { atMostEvery } from '../../common/at-most-every.ts';
import type { Metric, Labels } from '../../observability/metrics/metric.ts';
import type { Telemetry } from '../../observability/tracing/telemetry.ts';
import { methodNotAllowed } from '../answers/send-problem.ts';
import type { Base } from '../base/dependencies.ts';
import { path } from '../base/routes.ts';
import { scope } from '../base/scopes.ts';
import { problems } from '../openapi/answers.ts';
import type { Paths } from '../openapi/describe.ts';
import { always } from '../openapi/headers.ts';

export type MetricsDependencies = Pick<Base, 'config' | 'now'> & {
  /** The content of `/metrics`, apart from what the server counts itself. */
  readonly metrics: () => Promise<readonly Metric[]>;
  /** What `buildServer` counts: requests, refusals and connections. */
  readonly counted: () => readonly Metric[];
  readonly telemetry?: Pick<Telemetry, 'exportMetrics'> | null;
};

/** `/metrics`: this instance's metrics for Prometheus. Public, as health is: they name nobody. */
export const metrics = ({
  config,
  counted,
  metrics: ofService,
  now,
  telemetry,
}: MetricsDependencies): FastifyPluginCallback => {
  // Computed once a second for all callers: a client that does not read its answer costs nothing more.
  const all = async () => [...(await ofService()), ...counted()];
  const text = atMostEvery(1_000, async () => Buffer.from(exposition(await all())), now);
  telemetry?.exportMetrics(all);
  return scope((app) =>
    path(
      app,
      metricsPaths,
      '/metrics',
      {
        GET: async (_request, reply) =>
          reply.headers({ 'content-type': contentType, 'cache-control': 'no-store' }).send(await text()),
      },
      methodNotAllowed(config.baseUrl),
    ),
  );
};

/** The format that Prometheus prefers and every scraper understands. */
const contentType = 'text/plain; version=0.0.4; charset=utf-8';

export const exposition = (metrics: readonly Metric[]): string =>
  metrics.map((metric) => `${linesOf(metric).join('\n')}\n`).join('');

const linesOf = ({ name, help, type, samples }: Metric): readonly string[] => [
  `# HELP ${name} ${escape(help)}`,
  `# TYPE ${name} ${type}`,
  ...samples.map(
    ({ labels = {}, value, suffix = '' }) => `${name}${suffix}${inBraces(labels)} ${number(value)}`,
  ),
];

const inBraces = (labels: Labels): string => {
  const pairs = Object.entries(labels).map(
    ([name, value]) => `${name}="${escape(value).replaceAll('"', '\\"')}"`,
  );
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`;
};

const escape = (text: string): string => text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n');

const number = (value: number): string =>
  value === Infinity ? '+Inf' : value === -Infinity ? '-Inf' : String(value);

const metricsPaths = {
  '/metrics': {
    GET: {
      tag: 'Operation',
      security: [],
      id: 'metrics',
      summary: 'Get the numbers of this instance for Prometheus',
      description: 'The text format of Prometheus, version 0.0.4. They contain no personal data.',
      answers: [
        {
          status: 200,
          description: 'The numbers.',
          headers: { 'Cache-Control': always('no-store') },
          body: { kind: 'document', mediaType: 'text/plain' },
        },
        ...problems([]),
      ],
    },
  },
} satisfies Paths;
