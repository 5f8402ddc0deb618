import type { FastifyInstance } from 'fastify';
import type { Metric } from '../../metrics/metric.ts';
import type { HttpNeeds } from '../needs.ts';
import { sendProblem } from '../problems.ts';
import { path } from '../routes.ts';
import { contentType, exposition } from './exposition.ts';

/** `/metrics`: numbers for Prometheus, of this instance. Public, as health is: they name nobody. */
export const registerMetrics = (
  app: FastifyInstance,
  { config, metrics }: HttpNeeds,
  requests: () => readonly Metric[],
): void => {
  path(
    app,
    '/metrics',
    {
      GET: async (_request, reply) =>
        reply
          .headers({ 'content-type': contentType, 'cache-control': 'no-store' })
          .send(exposition([...(await metrics()), ...requests()])),
    },
    (request, reply) => sendProblem(request, reply, config.baseUrl, 'method-not-allowed'),
  );
};
