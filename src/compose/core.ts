import { orClose } from '../common/or-close.ts';
import { composeSignalQueue } from './signal-queue.ts';
import { composeSigning, type Signing } from './signing.ts';
import { closeStores, openStores, type Opening, type Stores } from './stores.ts';
import { composeWriteSide } from './write-side.ts';
import { findMismatch } from '../projections/log-guard/compare-with-log.ts';
import { guardGeneration } from '../projections/database/generation-guard.ts';
import { makeReadModels } from '../projections/read-models-pg.ts';
import { makeLogHeads } from '../reactions/log-heads.ts';
import { composeAudit } from './audit.ts';
import { makeBeginOnce } from '../commands/kernel/begin-once.ts';
import { makeDoneOnce } from '../projections/working-state/done-once.ts';

/** The write side and the read side, without workers and HTTP: what a service and a run of the command line share. */
export const composeCore = async (opening: Opening) => {
  const stores = await openStores(opening);
  return orClose(
    () => composeOver(stores),
    () => closeStores(stores, []),
  );
};

const composeOver = async (stores: Stores) => {
  const signing = composeSigning(stores);
  const readSide = composeReadSide(stores, signing);
  const writeSide = await composeWriteSide(stores);
  /** @param others further connections that were opened */
  const close = async (...others: readonly (() => Promise<unknown>)[]) => {
    await readSide.audit.prepared.close(); // while other instances can still hear of it
    await closeStores(stores, [writeSide.finishMails, readSide.audit.close, ...others]);
  };
  const { pool, keys, now } = stores;
  const doneOnce = makeDoneOnce({ pool });
  return {
    ...stores,
    ...signing,
    ...readSide,
    ...writeSide,
    ...composeSignalQueue(stores),
    beginOnce: makeBeginOnce({ table: doneOnce, keys, now }),
    endInteraction: doneOnce.end,
    hasEnded: doneOnce.hasEnded,
    close,
  };
};

export type Core = Awaited<ReturnType<typeof composeCore>>;

const composeReadSide = (stores: Stores, { sign }: Pick<Signing, 'sign'>) => {
  const { store, reader, generation, progress, now } = stores;
  return {
    readModels: makeReadModels({ reader, guarded: guardGeneration(reader, generation), progress, now }),
    audit: composeAudit(stores),
    logHeads: makeLogHeads({ store, sign, now, reader }),
    /** What the database has applied but the log lacks; null when they agree. @throws when one cannot be reached */
    logMismatch: (patienceMs: number) => findMismatch({ log: store, reader }, patienceMs),
  };
};
