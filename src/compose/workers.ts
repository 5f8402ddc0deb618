import { makeDepositTargets } from '../audit/deposits/deposit-targets.ts';
import { startKeepingStreams } from '../projections/retention/keep-streams.ts';
import { startKeepingReads } from '../projections/read-counts/keep-reads.ts';
import { startKeepingRefusals } from '../projections/usage-counts/keep-refusals.ts';
import { startKeepingUsage } from '../projections/usage-counts/keep-usage.ts';
import { ping, startWatchingDatabase } from '../projections/database/watch-database.ts';
import { oldListRemovals } from '../projections/lists/write/changes-from.ts';
import { tellAgainAndAgain } from '../projections/follow/tell-progress.ts';
import { startCleaningTables } from '../projections/retention/clean-tables.ts';
import { startLogHeads } from '../reactions/log-heads.ts';
import { startRetention } from '../reactions/retention.ts';
import { statusesOf, type WorkerStatuses } from '../observability/readiness/worker-statuses.ts';
import { startWakingPolls } from '../signals/wake-polls.ts';
import { startKeepingKeys } from '../signing/key-store.ts';
import { loadKafka } from './load-kafka.ts';
import { startLogWorkers } from './log-workers.ts';
import type { ServiceCore } from './service.ts';
import { startSignalPush } from './signal-push.ts';

/** What has to run on at least one instance of the service. @param baseUrl the address of the service */
export const startWorkers = async (service: ServiceCore, baseUrl: string) => {
  const { config, databaseUrl, generation: database, ledRarely, pool, reader, store, now, logger } = service;
  const brokers = await loadKafka(config, logger);
  const followers = startLogWorkers(service);
  const lag = service.serviceStatus.startSampling();
  const deposits = makeDepositTargets(config, brokers && brokers.connect);
  const logHeads = startLogHeads({
    ...ledRarely,
    store,
    sign: service.sign,
    now,
    intervalMs: config.logHeadInterval * 1000,
    targets: deposits.targets,
  });
  const streams = startKeepingStreams({ ...ledRarely, log: store });
  const keepMs = config.logRetentionDays * 86_400_000;
  const retention = startRetention({ ...ledRarely, store, now, keepMs });
  const tableRetention = startCleaningTables({
    ...ledRarely,
    log: store,
    now,
    more: [...service.signalsRemovals, oldListRemovals(now, config.syncRetentionDays)],
  });
  const signals = service.startQueueingSets(baseUrl);
  const wakingPolls = startWakingPolls({ listener: service.listener, log: store, ...service.polls, logger });
  const signalPush = startSignalPush(service, baseUrl);
  const recordSignals = service.startNotifyingOfRecords(baseUrl, followers.trust.trusted);
  const watchingDatabase = startWatchingDatabase({ databaseUrl, database, logger });
  const keepingKeys = startKeepingKeys(service.keyStore, logger);
  const kafka = brokers?.start(service, baseUrl);
  const completing = startCompletingCalls(service.completeUnfinished, logger);
  const watchingOutages = service.outages.start({
    store: () => service.connected.head(),
    database: () => ping(reader),
  });
  const days = config.readsRetentionDays;
  const keepingReads = startKeepingReads({ counter: service.reads, pool, now, logger, days });
  const keepingUsage = startKeepingUsage({ counter: service.usage, pool, now, logger });
  const keepingRefusals = startKeepingRefusals({ counter: service.refusals, pool, now, logger });
  const workers = { ...followers.workers, signals, signalPush, logHeads, streams, retention, tableRetention };
  return {
    trusted: followers.trust.trusted,
    trust: followers.trust.facts,
    ready: followers.ready,
    logLost: followers.logLost,
    status: (): WorkerStatuses => statusesOf(workers),
    kafka: () => kafka?.status() ?? null,
    /** How far behind the groups were in the last minutes. */
    lag: () => lag.samples(),
    removedRows: () => tableRetention.removed(),
    /** How many pushes of signals have failed on this instance. */
    pushFailures: signalPush.failures,
    readsStoredAt: () => keepingReads.storedAt(),
    stop: async (): Promise<void> => {
      completing.stop();
      await Promise.all([
        kafka?.stop(),
        logHeads.stop().then(() => deposits.close()),
        streams.stop(),
        retention.stop(),
        tableRetention.stop(),
        signalPush.stop(),
        keepingKeys.stop(),
        wakingPolls.stop(),
        lag.stop(),
        watchingDatabase.stop(),
        watchingOutages.stop(),
        ...[keepingReads, keepingUsage, keepingRefusals].map((keeping) => keeping.stop()),
        signals.stop(),
        recordSignals.stop(),
        followers.stop(),
      ]);
    },
  };
};

export type Workers = Awaited<ReturnType<typeof startWorkers>>;

/** On every instance: what one has taken, no other one gets. */
const startCompletingCalls = (complete: ServiceCore['completeUnfinished'], logger: ServiceCore['logger']) => {
  const failed = (error: unknown) =>
    logger.warn({ err: error }, 'cannot complete a call whose process was killed; trying again');
  return tellAgainAndAgain(
    async () => {
      try {
        const { completed, overtaken, failures } = await complete();
        if (completed > 0) logger.warn({ calls: completed }, 'completed calls whose process was killed');
        if (overtaken > 0)
          logger.warn(
            { calls: overtaken },
            'left calls unfinished: what they were to change was changed since',
          );
        failures.forEach(failed);
      } catch (error) {
        failed(error);
      }
    },
    { firstMs: 1_000, everyMs: 15_000 },
  );
};
