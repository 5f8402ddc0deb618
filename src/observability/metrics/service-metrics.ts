import type { Position } from '../../eventstore/event-store.ts';
import { withTimeout } from '../../common/with-timeout.ts';
import type { KafkaStatus } from '../../kafka/status.ts';
import type { DepositCount } from '../../projections/log-guard/head-deposits-table.ts';
import type { OperatorFacts } from '../../projections/operations/operator-facts.ts';
import type { ParkedCount } from '../../projections/parking/parked-rows.ts';
import type { RemovedRows } from '../../projections/retention/clean-tables.ts';
import type { ServerStates } from '../readiness/server-probes.ts';
import type { WorkerStatuses } from '../readiness/worker-statuses.ts';
import { headDepositMetrics } from './head-deposit-metrics.ts';
import { kafkaMetrics } from './kafka-metrics.ts';
import { logHeadMetrics } from './log-head-metrics.ts';
import type { Metric } from './metric.ts';
import { parkedMetrics } from './parked-metrics.ts';
import { personalKeyMetrics } from './personal-key-metrics.ts';
import { processMetrics } from './process-metrics.ts';
import { queueMetrics, type Queues } from './queue-metrics.ts';
import { readCountMetrics } from './read-count-metrics.ts';
import { removedRowMetrics, retentionMetrics } from './retention-metrics.ts';
import { signalMetrics, type SignalCounts } from './signal-metrics.ts';
import { signingKeyMetrics } from './signing-key-metrics.ts';
import { sharedMetrics, trustMetrics, type TrustFacts } from './trust-metrics.ts';
import { serverMetrics, serverStateMetrics, workerMetrics } from './worker-metrics.ts';

/** The sources of the metrics: what fails is left out. */
export type MetricSources = {
  /** Read from the servers; a call of the first two that hangs counts as failed. */
  readonly head: () => Promise<Position | null>;
  readonly shown: () => Promise<Position | null>;
  readonly servers: () => Promise<ServerStates>;
  readonly parked: () => Promise<readonly ParkedCount[]>;
  readonly shared: () => Promise<OperatorFacts>;
  readonly signedHead: () => Promise<{ readonly at: number } | null>;
  readonly removal: () => Promise<{
    readonly removed: { readonly total: Readonly<Record<string, number | undefined>> };
  } | null>;
  readonly deposits: () => Promise<readonly DepositCount[]>;
  readonly untrustedKeys: () => Promise<readonly unknown[]>;
  readonly lostKeys: () => Promise<number>;
  readonly signalLags: () => Promise<Readonly<Record<string, number>>>;
  readonly failingEndpoints: () => Promise<number>;
  /** Known to this instance. */
  readonly version: string;
  readonly linesLost: () => number;
  readonly waits: () => readonly Metric[];
  readonly queues: Queues;
  readonly trust: () => TrustFacts;
  readonly unattributedReads: () => number;
  readonly readsStoredAt: () => number | null;
  readonly workers: () => WorkerStatuses;
  readonly removedRows: () => RemovedRows | null;
  readonly signals: () => SignalCounts;
  readonly kafka: () => KafkaStatus | null;
};

/** A scrape does not wait longer for a server, in milliseconds. */
const patience = 3_000;

/** The answer of `/metrics`, apart from the metrics of requests. */
export const makeReadMetrics = (ask: MetricSources) => async (): Promise<readonly Metric[]> => {
  const [
    head,
    shown,
    servers,
    parked,
    shared,
    signed,
    removal,
    deposits,
    untrusted,
    lostKeys,
    lags,
    failing,
  ] = await Promise.all([
    orNothing(withTimeout(patience, ask.head())),
    orNothing(withTimeout(patience, ask.shown())),
    orNothing(ask.servers()),
    orNothing(ask.parked()),
    orNothing(ask.shared()),
    orNothing(ask.signedHead()),
    orNothing(ask.removal()),
    orNothing(ask.deposits()),
    orNothing(ask.untrustedKeys()),
    orNothing(ask.lostKeys()),
    orNothing(ask.signalLags()),
    orNothing(ask.failingEndpoints()),
  ]);
  return [
    ...processMetrics(ask.version, ask.linesLost()),
    ...ask.waits(),
    ...queueMetrics(ask.queues),
    ...serverMetrics(head, shown),
    ...serverStateMetrics(servers),
    ...trustMetrics(ask.trust()),
    ...sharedMetrics(shared),
    ...logHeadMetrics(signed?.at),
    ...retentionMetrics(removal && removal.removed.total),
    ...headDepositMetrics(deposits),
    ...readCountMetrics(ask.unattributedReads(), ask.readsStoredAt()),
    ...signingKeyMetrics(untrusted?.length),
    ...workerMetrics(ask.workers(), Date.now()),
    ...personalKeyMetrics(lostKeys),
    ...parkedMetrics(parked),
    ...removedRowMetrics(ask.removedRows()),
    ...signalMetrics(lags, failing, ask.signals()),
    ...kafkaMetrics(ask.kafka(), Date.now()),
  ];
};

const orNothing = <T>(call: Promise<T>): Promise<T | undefined> => call.catch(() => undefined);
