import type { FastifyInstance } from 'fastify';
import { atMostEvery } from '../../common/at-most-every.ts';
import type { Metric, Labels } from '../../observability/metrics/metric.ts';
import { sendProblem } from '../answers/send-problem.ts';
import type { HttpDependencies } from '../base/dependencies.ts';
import { path } from '../base/routes.ts';
import { metricsPaths } from './metrics-paths.ts';

/** `/metrics`: this instance's metrics for Prometheus. Public, as health is: they name nobody. */
export const registerMetrics = (
  app: FastifyInstance,
  { config, metrics, now, telemetry }: HttpDependencies,
  requests: () => readonly Metric[],
): void => {
  // Computed once a second for all callers: a client that does not read its answer costs nothing more.
  const all = async () => [...(await metrics()), ...requests()];
  const text = atMostEvery(1_000, async () => Buffer.from(exposition(await all())), now);
  telemetry?.exportMetrics(all);
  path(
    app,
    metricsPaths,
    '/metrics',
    {
      GET: async (_request, reply) =>
        reply.headers({ 'content-type': contentType, 'cache-control': 'no-store' }).send(await text()),
    },
    (request, reply) => sendProblem(request, reply, config.baseUrl, 'method-not-allowed'),
  );
};

/** The format that Prometheus prefers and every scraper understands. */
const contentType = 'text/plain; version=0.0.4; charset=utf-8';

/** The text format of Prometheus, version 0.0.4. */
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
