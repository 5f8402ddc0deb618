import type { FastifyInstance } from 'fastify';
import type { Metric } from '../../observability/metrics/metric.ts';
import { atMostEvery } from '../../common/at-most-every.ts';
import type { HttpDependencies } from '../base/dependencies.ts';
import { sendProblem } from '../answers/send-problem.ts';
import { path } from '../base/routes.ts';
import { contentType, exposition } from './exposition.ts';
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
