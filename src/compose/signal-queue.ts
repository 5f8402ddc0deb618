import { readSkippedEvents } from '../commands/log/skip-parked-event.ts';
import { startProjector } from '../projections/follow/projector.ts';
import type { Removal } from '../projections/retention/clean-tables.ts';
import { makeSignalsProjection, signalsGroup } from '../signals/projection.ts';
import { startNotifyingOfRecords } from '../signals/records/notify-of-records.ts';
import { removeExpired } from '../signals/set-queue.ts';
import { removeDeletedStreams } from '../signals/stream-table.ts';
import type { Stores } from './stores.ts';

/** The queues of messages to add-ons (ADR 64). */
export const composeSignalQueue = ({ config, led, pool, store, now, logger }: Stores) => {
  const keepMs = config.signalsRetentionDays * 86_400_000;
  /** @param baseUrl the address of the service, which is the issuer where ISSUER does not say another */
  const signalsProjection = (baseUrl: string) =>
    makeSignalsProjection({ issuer: config.issuer ?? baseUrl, keepMs, now });
  return {
    /** For parked events of the worker. */
    signalsProjection,
    /** Of the service alone: a run of the command line does not know the address that SETs name as their issuer. */
    startQueueingSets: (baseUrl: string) =>
      startProjector({
        ...led,
        log: store,
        name: signalsGroup,
        projections: [signalsProjection(baseUrl)],
        skipped: readSkippedEvents(store),
        logger,
      }),
    /** Of the service alone, too. @param trusted whether the fence knows all that has ended */
    startNotifyingOfRecords: (baseUrl: string, trusted: () => boolean) =>
      startNotifyingOfRecords({
        pool,
        issuer: config.issuer ?? baseUrl,
        intervalMs: config.recordsSignalInterval * 1000,
        now,
        trusted,
        logger,
      }),
    /** What is removed by time alone. */
    signalsRemovals: [
      { table: 'signal_sets', remove: (tx, most) => removeExpired(tx, now() - keepMs, most) },
      { table: 'signal_streams', remove: (tx) => removeDeletedStreams(tx, now() - keepMs) },
    ] satisfies readonly Removal[],
  };
};
