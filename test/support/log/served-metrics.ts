import { fastify } from 'fastify';
import { makeConnectionTable } from '../../../src/http/connections/connection-table.ts';
import { countRefusals } from '../../../src/http/limits/refusals.ts';
import { connectionMetrics } from '../../../src/http/server.ts';
import { countRequests } from '../../../src/http/metrics/count-requests.ts';
import type { Metric } from '../../../src/observability/metrics/metric.ts';
import { makeReadMetrics, type MetricSources } from '../../../src/observability/metrics/service-metrics.ts';
import { makeOperations } from '../../../src/observability/tracing/operations.ts';
import { kafkaStatus } from './kafka-status.ts';

export const now = Date.parse('2026-08-01T10:00:00Z');
export const led = {
  role: 'leading',
  healthy: true,
  caughtUp: true,
  position: null,
  stuckAt: null,
  behindSince: now - 2_000,
} as const;
export const facts = {
  checkpoints: [{ name: 'read-models', position: { commit: 12n, prepare: 12n } }],
  breakGlass: 3,
};
const well = { trouble: null, isUntried: false, ahead: 0 };
export const position = { commit: 12n, prepare: 12n };

const pool = { totalCount: 2, idleCount: 1, waitingCount: 0 };
const answer =
  <T>(value: T) =>
  () =>
    Promise.resolve(value);

export const sources: MetricSources = {
  head: answer(position),
  shown: answer(position),
  servers: answer({ eventStore: well, database: well }),
  parked: answer([{ checkpoint: 'read-models', projection: 'lists', keys: 1, events: 2 }]),
  shared: answer(facts),
  signedHead: answer({ at: now }),
  removal: answer({ total: { session: 1 } }),
  deposits: answer([{ target: 'directory', waiting: 1, newestAt: now }]),
  untrustedKeys: answer([]),
  lostKeys: answer(2),
  signalLags: answer({ poll: 0, push: 3 }),
  failingEndpoints: answer(2),
  version: '1',
  linesLost: () => 0,
  waits: () => makeOperations(null).metrics(),
  queues: { pools: { commands: pool }, readers: { lists: () => 0 }, passwords: () => 0 },
  trust: () => ({ accepted: true, logAgrees: true, databases: 0 }),
  unattributedReads: () => 0,
  droppedRefusals: () => 0,
  readsStoredAt: () => now,
  workers: () => ({ projector: led }),
  removedRows: () => ({ fence: 1 }),
  signals: () => ({ failures: { poll: 1, push: 2 }, pollsWaiting: 3 }),
  kafka: () =>
    kafkaStatus({
      relay: { lastFailure: now },
      expired: [{ records: 'profiles', topic: 'host.profiles', partition: 3, from: 5n, until: 8n, at: now }],
    }),
  mail: () => ({ sent: 7, failed: 2, trouble: null }),
};

/** Everything that `/metrics` serves, with a sample of each. */
export const servedMetrics = async (): Promise<readonly Metric[]> => {
  const app = fastify();
  const requests = countRequests(app);
  const refusals = countRefusals(app, { info: () => undefined });
  app.get('/', () => 'here');
  app.get('/profiles', (_request, reply) => reply.code(401).send());
  await app.inject({ url: '/' });
  await app.inject({ url: '/profiles' });
  return [
    ...(await makeReadMetrics(sources)()),
    ...requests(),
    ...refusals(),
    ...connectionMetrics(makeConnectionTable(10, [])),
  ];
};
