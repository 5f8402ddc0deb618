import { performance } from 'node:perf_hooks';
import { withTimeout } from '../../common/with-timeout.ts';
import type { Position } from '../../eventstore/event-store.ts';
import type { MailStatus } from '../../common/mail-status.ts';
import type { KafkaStatus } from '../../kafka/status.ts';
import type { DepositCount } from '../../projections/log-guard/head-deposits-table.ts';
import type { OperatorFacts } from '../../projections/operations/operator-facts.ts';
import type { ParkedCount } from '../../projections/parking/parked-rows.ts';
import type { RemovedRows } from '../../projections/retention/clean-tables.ts';
import type { ServerStates } from '../readiness/server-probes.ts';
import type { WorkerStatuses } from '../readiness/worker-statuses.ts';
import { kafkaMetrics } from './kafka-metrics.ts';
import { by, counter, gauge, only, onlyTime, type Metric } from './metric.ts';
import { queueMetrics, type Queues } from './queue-metrics.ts';
import { sharedMetrics, trustMetrics, type TrustFacts } from './trust-metrics.ts';
import { serverMetrics, serverStateMetrics, workerMetrics } from './worker-metrics.ts';

export type MetricSources = {
  /** Read from the servers; a call of the first two that hangs counts as failed. */
  readonly head: () => Promise<Position | null>;
  readonly shown: () => Promise<Position | null>;
  readonly servers: () => Promise<ServerStates>;
  readonly parked: () => Promise<readonly ParkedCount[]>;
  readonly shared: () => Promise<OperatorFacts>;
  readonly signedHead: () => Promise<{ readonly at: number } | null>;
  readonly removal: () => Promise<{ readonly total: Readonly<Record<string, number | undefined>> } | null>;
  readonly deposits: () => Promise<readonly DepositCount[]>;
  readonly untrustedKeys: () => Promise<readonly unknown[]>;
  readonly lostKeys: () => Promise<number>;
  readonly signalLags: () => Promise<Readonly<Record<string, number>>>;
  readonly failingEndpoints: () => Promise<number>;
  readonly version: string;
  readonly linesLost: () => number;
  readonly waits: () => readonly Metric[];
  readonly queues: Queues;
  readonly trust: () => TrustFacts;
  readonly unattributedReads: () => number;
  readonly droppedRefusals: () => number;
  readonly readsStoredAt: () => number | null;
  readonly workers: () => WorkerStatuses;
  readonly removedRows: () => RemovedRows | null;
  readonly signals: () => SignalCounts;
  readonly kafka: () => KafkaStatus | null;
  readonly mail: () => MailStatus | null;
};

/** A scrape does not wait longer for a server, in milliseconds. */
const patience = 3_000;

export const makeReadMetrics = (ask: MetricSources) => async (): Promise<readonly Metric[]> => {
  const known = await whatAnswers({
    head: withTimeout(patience, ask.head()),
    shown: withTimeout(patience, ask.shown()),
    servers: ask.servers(),
    parked: ask.parked(),
    shared: ask.shared(),
    signed: ask.signedHead(),
    removal: ask.removal(),
    deposits: ask.deposits(),
    untrusted: ask.untrustedKeys(),
    lostKeys: ask.lostKeys(),
    lags: ask.signalLags(),
    failing: ask.failingEndpoints(),
  });
  return [
    ...processMetrics(ask.version, ask.linesLost()),
    ...ask.waits(),
    ...queueMetrics(ask.queues),
    ...serverMetrics(known.head, known.shown),
    ...serverStateMetrics(known.servers),
    ...trustMetrics(ask.trust()),
    ...sharedMetrics(known.shared),
    gauge(
      'grantbook_signed_head_timestamp_seconds',
      'When the newest signed head of the log was made.',
      onlyTime(known.signed?.at),
    ),
    counter(
      'grantbook_retention_removed_events_total',
      'Events that documented retention removed from the log; all instances say the same.',
      by('category', known.removal?.total),
    ),
    ...headDepositMetrics(known.deposits),
    ...readCountMetrics(ask.unattributedReads(), ask.readsStoredAt()),
    counter('grantbook_refusals_dropped_total', 'Refusals that were not kept.', only(ask.droppedRefusals())),
    gauge(
      'grantbook_signing_keys_untrusted',
      'Rows of signing_keys that were written without TOKEN_KEYS.',
      only(known.untrusted?.length),
    ),
    ...workerMetrics(ask.workers(), Date.now()),
    gauge(
      'grantbook_personal_keys_lost',
      'Persons whose key is missing but was not deleted.',
      only(known.lostKeys),
    ),
    ...parkedMetrics(known.parked),
    counter(
      'grantbook_retention_rows_removed_total',
      'Expired rows that this instance has removed.',
      by('table', ask.removedRows()),
    ),
    ...signalMetrics(known.lags, known.failing, ask.signals()),
    ...kafkaMetrics(ask.kafka(), Date.now()),
    ...mailMetrics(ask.mail()),
  ];
};

/** Without those that failed: what they alone know has no samples. */
const whatAnswers = async <Calls extends Readonly<Record<string, Promise<unknown>>>>(calls: Calls) => {
  const answers = await Promise.all(
    Object.entries(calls).map(async ([name, call]) => [name, await call.catch(() => undefined)] as const),
  );
  return Object.fromEntries(answers) as { readonly [Name in keyof Calls]: Awaited<Calls[Name]> | undefined };
};

const mailMetrics = (mail: MailStatus | null): readonly Metric[] => [
  counter(
    'grantbook_mails_total',
    'Tries to send a mail of this instance, by what came of them: sent or failed.',
    by('outcome', mail && { sent: mail.sent, failed: mail.failed }),
  ),
];

/** @param counts undefined where unknown */
export const headDepositMetrics = (counts: readonly DepositCount[] | undefined): readonly Metric[] => [
  gauge(
    'grantbook_head_deposits_waiting',
    'Signed heads that could not be deposited at this place yet.',
    (counts ?? []).map(({ target, waiting }) => ({ labels: { target }, value: waiting })),
  ),
  gauge(
    'grantbook_head_deposit_timestamp_seconds',
    'When a signed head was last deposited at this place.',
    (counts ?? []).flatMap(({ target, newestAt }) =>
      newestAt === null ? [] : [{ labels: { target }, value: newestAt / 1000 }],
    ),
  ),
];

/** @param storedAt when counts were last stored, milliseconds since the Unix epoch; null where reads are not counted */
const readCountMetrics = (unattributed: number, storedAt: number | null): readonly Metric[] => [
  counter(
    'grantbook_list_reads_unattributed_total',
    'Pages of lists that were counted without their grant.',
    only(unattributed),
  ),
  gauge(
    'grantbook_list_reads_stored_timestamp_seconds',
    'When this instance had last stored all counts of reads.',
    onlyTime(storedAt),
  ),
];

/** Undefined: the database does not answer. */
const parkedMetrics = (counts: readonly ParkedCount[] | undefined): readonly Metric[] => {
  const labelled = (valueOf: (count: ParkedCount) => number) =>
    (counts ?? []).map((count) => ({
      labels: { checkpoint: count.checkpoint, projection: count.projection },
      value: valueOf(count),
    }));
  return [
    gauge(
      'grantbook_parked_keys',
      'Streams with an event that a read model could not apply.',
      labelled(({ keys }) => keys),
    ),
    gauge(
      'grantbook_parked_events',
      'Events that are held back with them.',
      labelled(({ events }) => events),
    ),
  ];
};

/** The process itself, with the names that Prometheus dashboards know. */
const processMetrics = (version: string, linesLost: number): readonly Metric[] => {
  const { user, system } = process.cpuUsage();
  const { rss, heapUsed, external } = process.memoryUsage();
  const loop = performance.eventLoopUtilization();
  return [
    gauge('grantbook_info', 'The version that runs.', [
      { labels: { version, node: process.versions.node }, value: 1 },
    ]),
    counter('process_cpu_seconds_total', 'CPU time used.', only((user + system) / 1e6)),
    gauge('process_resident_memory_bytes', 'Memory in use.', only(rss)),
    gauge(
      'process_start_time_seconds',
      'When the process started, since the Unix epoch.',
      only(performance.timeOrigin / 1000),
    ),
    gauge('nodejs_heap_size_used_bytes', 'Heap in use.', only(heapUsed)),
    gauge('nodejs_external_memory_bytes', 'Memory of buffers outside of the heap.', only(external)),
    counter(
      'grantbook_event_loop_busy_seconds_total',
      'Time in which the event loop was busy; a rate near 1 is a full core.',
      only(loop.active / 1000),
    ),
    counter('grantbook_log_lines_lost_total', 'Lines of the log that could not be written.', only(linesLost)),
  ];
};

/** Delivery to add-ons, by method (`poll`, `push`). */
type SignalCounts = {
  readonly failures: Readonly<Record<string, number>>;
  readonly pollsWaiting: number;
};

/** @param lags in seconds, by method; undefined while unknown, as `failingEndpoints` */
const signalMetrics = (
  lags: Readonly<Record<string, number>> | undefined,
  failingEndpoints: number | undefined,
  { failures, pollsWaiting }: SignalCounts,
): readonly Metric[] => [
  gauge(
    'grantbook_signals_lag_seconds',
    'Age of the oldest SET that waits for an enabled stream; all instances say the same.',
    by('method', lags),
  ),
  gauge(
    'grantbook_signals_failing_endpoints',
    'Add-ons whose last push did not work; all instances say the same.',
    only(failingEndpoints),
  ),
  counter(
    'grantbook_signals_failures_total',
    'Pushes that did not work, and SETs that receivers could not use.',
    by('method', failures),
  ),
  gauge('grantbook_signals_polls_waiting', 'Polls that wait for a SET.', only(pollsWaiting)),
];
