import { withTimeout, withTimeoutOrNull } from '../../common/with-timeout.ts';
import type { Readiness } from '../../http/base/dependencies.ts';
import { judgeReadiness, type ReadinessFacts } from './judge-readiness.ts';

export type ReadinessSources = {
  readonly [Fact in 'workers' | 'kafka' | 'mail']: () => ReadinessFacts[Fact];
} & {
  readonly [Fact in 'servers' | AtLeisure]: () => Promise<NonNullable<ReadinessFacts[Fact]>>;
} & {
  readonly eventStore: () => Promise<unknown>;
  /** Why that failed, in words without addresses. */
  readonly explainEventStore?: (error: unknown) => Promise<string>;
  readonly database: () => Promise<unknown>;
};

/** What an answer leaves out that cannot be read in time. */
type AtLeisure = 'parked' | 'lostKeys' | 'deposits' | 'signInProviders';

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
    parked,
    lostKeys,
    deposits,
    signInProviders,
    // Last, so that a call above that took long does not make an answer of what was true before.
    servers: await ask.servers(),
    workers: ask.workers(),
    kafka: ask.kafka(),
    mail: ask.mail(),
  });
};

const reachable = (
  call: Promise<unknown>,
  explain = (_error: unknown): Promise<string> => Promise.resolve('unreachable'),
): Promise<string> => withTimeout(patience, call).then(() => 'ok', explain);
