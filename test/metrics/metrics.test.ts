import { expect, test } from 'vitest';
import { kafkaMetrics } from '../../src/observability/metrics/kafka-metrics.ts';
import type { Metric } from '../../src/observability/metrics/metric.ts';
import { makeReadMetrics, type MetricSources } from '../../src/observability/metrics/service-metrics.ts';
import { sharedMetrics } from '../../src/observability/metrics/trust-metrics.ts';
import { serverMetrics, workerMetrics } from '../../src/observability/metrics/worker-metrics.ts';
import { kafkaStatus } from '../support/log/kafka-status.ts';
import { facts, led, now, position, servedMetrics, sources } from '../support/log/served-metrics.ts';

const valuesOf = (metrics: readonly Metric[], name: string) =>
  metrics
    .find((metric) => metric.name === name)
    ?.samples.map(({ labels = {}, value }) => [...Object.values(labels), value].join(' '));

const away = () => Promise.reject(new Error('away'));

test('every metric of docs/reference/metrics.md has a sample', async () => {
  const metrics = await servedMetrics();
  expect(metrics.filter(({ samples }) => samples.length === 0)).toEqual([]);
});

test('what fails to answer is left out, and nothing else with it', async () => {
  const asked = [
    'head',
    'shown',
    'servers',
    'parked',
    'shared',
    'signedHead',
    'removal',
    'deposits',
  ] as const;
  const broken = Object.fromEntries(
    [...asked, 'untrustedKeys', 'lostKeys', 'failingEndpoints'].map((name) => [name, away]),
  );
  const metrics = await makeReadMetrics({ ...sources, ...broken })();
  expect(valuesOf(metrics, 'grantbook_server_reachable')).toEqual(['event-store 0', 'database 0']);
  expect(valuesOf(metrics, 'grantbook_break_glass_total')).toEqual([]);
  expect(valuesOf(metrics, 'grantbook_tokens_accepted')).toEqual(['1']);
  expect(metrics.map(({ name }) => name)).toEqual((await makeReadMetrics(sources)()).map(({ name }) => name));
});

test('without Kafka only that it is not configured', () => {
  expect(kafkaMetrics(null, now).map(({ name, samples }) => [name, samples])).toEqual([
    ['grantbook_kafka_configured', [{ value: 0 }]],
  ]);
});

test('the lag of the relay is the age of the oldest event that waits, and 0 when none does', () => {
  const lag = (oldestWaiting: number | null) =>
    valuesOf(
      kafkaMetrics(kafkaStatus({ relay: { oldestWaiting } }), now),
      'grantbook_kafka_relay_lag_seconds',
    );
  expect(lag(null)).toEqual(['0']);
  expect(lag(now - 1_500)).toEqual(['1.5']);
  expect(lag(now + 1_500)).toEqual(['0']); // the clock of the log's server is another one
});

test('records in: outcomes by topic, lag where it is known, one state of each member', () => {
  const metrics = kafkaMetrics(kafkaStatus({}), now);
  expect(valuesOf(metrics, 'grantbook_kafka_ingest_messages_total')).toEqual([
    'host.profiles dead-lettered 3',
  ]);
  expect(valuesOf(metrics, 'grantbook_kafka_ingest_lag_messages')).toEqual(['host.profiles 0 5']);
  expect(valuesOf(metrics, 'grantbook_kafka_ingest_member_state')).toEqual([
    'grantbook joining 0',
    'grantbook reading 1',
    'grantbook unreachable 0',
    'grantbook stopped 0',
  ]);
});

test('FX-72: messages that expired unread are counted by kind of records, with since when', () => {
  const range = { records: 'profiles', topic: 'host.profiles', from: 5n } as const;
  const expired = [
    { ...range, partition: 3, until: 8n, at: 60_000 },
    { ...range, partition: 4, until: 6n, at: 90_000 },
  ];
  const metrics = kafkaMetrics(kafkaStatus({ expired }), now);
  expect(valuesOf(metrics, 'grantbook_kafka_ingest_expired_messages')).toEqual([
    'profiles 4',
    'reservations 0',
    'access-rights 0',
  ]);
  expect(valuesOf(metrics, 'grantbook_kafka_ingest_expired_timestamp_seconds')).toEqual(['profiles 60']);
});

test('a server that does not answer is distinguished from an empty log, and has no position', () => {
  const metrics = serverMetrics(null, undefined);
  expect(valuesOf(metrics, 'grantbook_server_reachable')).toEqual(['event-store 1', 'database 0']);
  expect(valuesOf(metrics, 'grantbook_log_head_position')).toEqual([]);
  expect(valuesOf(serverMetrics(position, position), 'grantbook_read_models_position')).toEqual(['12']);
});

test('a worker has one role; only one that leads says whether it has caught up', () => {
  const workers = { projector: led, revocations: { ...led, role: 'standby', healthy: false } } as const;
  const metrics = workerMetrics(workers, now);
  expect(valuesOf(metrics, 'grantbook_worker_role')?.filter((line) => line.endsWith(' 1'))).toEqual([
    'projector leading 1',
    'revocations standby 1',
  ]);
  expect(valuesOf(metrics, 'grantbook_worker_healthy')).toEqual(['projector 1', 'revocations 0']);
  expect(valuesOf(metrics, 'grantbook_worker_caught_up')).toEqual(['projector 1']);
});

test('the lag of a projector is the age of what it applied last while more waits, and 0 when it takes all at once', () => {
  const lag = (status: object) =>
    valuesOf(workerMetrics({ projector: { ...led, ...status } }, now), 'grantbook_worker_lag_seconds');
  expect(lag({})).toEqual(['projector 2']);
  expect(lag({ behindSince: null })).toEqual(['projector 0']);
  expect(lag({ behindSince: undefined })).toEqual([]);
  expect(lag({ role: 'standby' })).toEqual([]);
});

const valuesWith = async (changed: Partial<MetricSources>, name: string) =>
  valuesOf(await makeReadMetrics({ ...sources, ...changed })(), name);

test('GR-04: what documented retention removed is counted by category, and not where nobody can say', async () => {
  const count = (removal: MetricSources['removal']) =>
    valuesWith({ removal }, 'grantbook_retention_removed_events_total');
  const total = { session: 3, 'unredeemed-grant': 2 };
  expect(await count(() => Promise.resolve({ total }))).toEqual(['session 3', 'unredeemed-grant 2']);
  expect([await count(() => Promise.resolve(null)), await count(away)]).toEqual([[], []]);
});

test('the newest signed head has a time in seconds, and none before the first', async () => {
  const time = (signedHead: MetricSources['signedHead']) =>
    valuesWith({ signedHead }, 'grantbook_signed_head_timestamp_seconds');
  expect(await time(() => Promise.resolve({ at: now }))).toEqual([String(now / 1000)]);
  expect([await time(() => Promise.resolve(null)), await time(away)]).toEqual([[], []]);
});

test('CL-03: rows that nobody with the token keys wrote are counted, and not where nobody can say', async () => {
  const count = (untrustedKeys: MetricSources['untrustedKeys']) =>
    valuesWith({ untrustedKeys }, 'grantbook_signing_keys_untrusted');
  expect(await count(() => Promise.resolve([]))).toEqual(['0']);
  expect([await count(() => Promise.resolve([{}, {}])), await count(away)]).toEqual([['2'], []]);
});

test('while the database is away nothing is reported of what it alone knows', () => {
  expect(sharedMetrics(undefined).map(({ samples }) => samples)).toEqual([[], []]);
  expect(valuesOf(sharedMetrics(facts), 'grantbook_checkpoint_position')).toEqual(['read-models 12']);
  expect(valuesOf(sharedMetrics(facts), 'grantbook_break_glass_total')).toEqual(['3']);
});

test('TR-02: the metric of the relay alarms when it is stuck, or the broker does not accept what it publishes', () => {
  const healthy = (relay: Parameters<typeof kafkaStatus>[0]['relay']) =>
    valuesOf(kafkaMetrics(kafkaStatus({ ...(relay && { relay }) }), now), 'grantbook_kafka_relay_healthy');
  expect([
    healthy({}),
    healthy({ role: 'stuck' }),
    healthy({ trouble: { since: now, reason: 'ECONNREFUSED' } }),
  ]).toEqual([['1'], ['0'], ['0']]);
});
