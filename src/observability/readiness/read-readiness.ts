import { withTimeout, withTimeoutOrNull } from '../../common/with-timeout.ts';
import type { Readiness } from '../../http/base/dependencies.ts';
import type { KafkaStatus } from '../../kafka/status.ts';
import type { MailStatus } from '../../common/mail-status.ts';
import type { ParkedCount } from '../../projections/parking/parked-rows.ts';
import { judgeReadiness, type ReadinessFacts } from './judge-readiness.ts';
import type { ServerStates } from './server-probes.ts';
import type { WorkerStatuses } from './worker-statuses.ts';

export type ReadinessSources = {
  readonly eventStore: () => Promise<unknown>;
  /** Why that failed, in words without addresses. */
  readonly explainEventStore?: (error: unknown) => Promise<string>;
  readonly database: () => Promise<unknown>;
  readonly servers: () => Promise<ServerStates>;
  readonly parked: () => Promise<readonly ParkedCount[]>;
  readonly lostKeys: () => Promise<number>;
  readonly deposits: () => Promise<readonly { readonly waiting: number }[]>;
  readonly signInProviders: () => Promise<ReadinessFacts['signInProviders']>;
  readonly workers: () => WorkerStatuses;
  readonly kafka: () => KafkaStatus | null;
  readonly mail: () => MailStatus | null;
};

/** A server that does not answer for this long counts as unreachable, so the client never waits longer. Milliseconds. */
export const patience = 3_000;

/** The answer of `/health/ready`. @throws what `servers` throws */
export const makeReadReadiness = (ask: ReadinessSources) => async (): Promise<Readiness> => {
  const [eventStore, database, parked, lostKeys, deposits, signInProviders] = await Promise.all([
    reachable(ask.eventStore(), ask.explainEventStore),
    reachable(ask.database()),
    withTimeoutOrNull(patience, ask.parked()),
    withTimeoutOrNull(patience, ask.lostKeys()),
    withTimeoutOrNull(patience, ask.deposits()),
    withTimeoutOrNull(patience, ask.signInProviders()),
  ]);
  return judgeReadiness({
    eventStore,
    database,
    // Last, so that a call above that took long does not make an answer of what was true before.
    servers: await ask.servers(),
    workers: ask.workers(),
    kafka: ask.kafka(),
    mail: ask.mail(),
    parkedKeys: (parked ?? []).reduce((sum, count) => sum + count.keys, 0),
    lostKeys: lostKeys ?? 0,
    signInProviders: signInProviders ?? [],
    waitingDeposits: (deposits ?? []).reduce((sum, { waiting }) => sum + waiting, 0),
  });
};

const reachable = (
  call: Promise<unknown>,
  explain = (_error: unknown): Promise<string> => Promise.resolve('unreachable'),
): Promise<string> => withTimeout(patience, call).then(() => 'ok', explain);
