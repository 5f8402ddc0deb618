import { orClose } from '../common/or-close.ts';
import { composeReadSide } from './read-side.ts';
import { composeSignalQueue } from './signal-queue.ts';
import { composeSigning } from './signing.ts';
import { closeStores, openStores, type Opening, type Stores } from './stores.ts';
import { composeWriteSide } from './write-side.ts';

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
  const close = (...others: readonly (() => Promise<unknown>)[]) =>
    closeStores(stores, [readSide.audit.close, ...others]);
  return { ...stores, ...signing, ...readSide, ...writeSide, ...composeSignalQueue(stores), close };
};

export type Core = Awaited<ReturnType<typeof composeCore>>;
