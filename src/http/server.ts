import cookie from '@fastify/cookie';
import swagger from '@fastify/swagger';
import type { FastifyInstance, FastifyPluginCallback } from 'fastify';
import type { Metric } from '../observability/metrics/metric.ts';
import { answerPeopleWithPages, type People } from './answers/error-pages.ts';
import { countRefusals, type AboutAddons } from './limits/refusals.ts';
import { countRequests } from './metrics/count-requests.ts';
import { documentOptions } from './openapi/document.ts';
import { makeBaseServer, type BaseServerDependencies } from './requests/base-server.ts';
import type { ConnectionTable } from './connections/connection-table.ts';

/** The HTTP side, ready to `listen` or `inject`. Each plugin brings its own form of answers: problems, RFC 6749 JSON or pages. */
export const buildServer = (
  dependencies: BaseServerDependencies & AboutAddons & { readonly version: string },
  people: People,
  plugins: readonly FastifyPluginCallback[],
): { readonly app: FastifyInstance; readonly counted: () => readonly Metric[] } => {
  const { app, table } = makeBaseServer(dependencies, dependencies.config.maxConnections ?? 1_000);
  const requests = countRequests(app);
  const refusals = countRefusals(app, dependencies.logger, dependencies);
  void app.register(cookie);
  void app.register(
    swagger,
    documentOptions(() => ({ ...dependencies.config, version: dependencies.version })),
  );
  answerPeopleWithPages(app, people);
  for (const plugin of plugins) void app.register(plugin);
  return { app, counted: () => [...requests(), ...refusals(), ...connectionMetrics(table)] };
};

export const connectionMetrics = (table: ConnectionTable): readonly Metric[] => [
  {
    name: 'grantbook_http_connections',
    help: 'Connections of clients that are open.',
    type: 'gauge',
    samples: [{ value: table.count() }],
  },
  {
    name: 'grantbook_http_connections_limit',
    help: 'How many connections of clients there may be.',
    type: 'gauge',
    samples: [{ value: table.limit }],
  },
  {
    name: 'grantbook_http_connections_closed_total',
    help: 'Connections closed by the server: at the limit, or for a slow client.',
    type: 'counter',
    samples: Object.entries(table.closed).map(([reason, value]) => ({ labels: { reason }, value })),
  },
];
