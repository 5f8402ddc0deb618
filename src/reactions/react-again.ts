import type { LogReader, RecordedEvent } from '../eventstore/event-store.ts';
import type { ReadSkipped } from '../projections/parking/parked-keys.ts';
import { readFirstOf, type ParkedEvent, type ParkedKey } from '../projections/parking/parked-rows.ts';
import type { Tx } from '../projections/follow/projection.ts';
import type { Retried } from '../projections/parking/retry-parked.ts';

export type ReactAgainDependencies = {
  readonly tx: Tx;
  readonly log: Pick<LogReader, 'readEach'>;
  readonly skipped: ReadSkipped;
  /** Null where it is enough that the event can be decoded. @throws as the first time */
  readonly handle: ((event: RecordedEvent) => Promise<void>) | null;
  /** Describes a permanent failure of `handle`; null for a temporary one. */
  readonly describe: (error: unknown) => string | null;
};

const most = 500;

/** Handles a reaction's or the write side's parked events, each by itself; failures stay parked. @throws when temporary */
export const reactAgain = async (dependencies: ReactAgainDependencies, key: ParkedKey): Promise<Retried> => {
  const skipped = await dependencies.skipped(key.projection);
  let [applied, leftOut] = [0, 0];
  let stillAt: ParkedEvent | null = null;
  for (const parked of await readFirstOf(dependencies.tx, key, most)) {
    const isLeftOut = skipped.has(parked.eventId);
    const error = isLeftOut ? null : await tryAgain(dependencies, parked);
    if (error !== null) stillAt ??= { ...parked, error };
    else if (isLeftOut) leftOut += 1;
    else applied += 1;
    await note(dependencies.tx, parked, error);
  }
  return { applied, leftOut, stillAt };
};

const tryAgain = async (
  { log, handle, describe }: ReactAgainDependencies,
  { stream, revision }: ParkedEvent,
): Promise<string | null> => {
  const [read] = await log.readEach(stream, revision, 1);
  if (read?.event.revision !== revision) return 'the event is no longer in its stream';
  if (read.kind === 'unreadable') return read.problem;
  try {
    await handle?.(read.event);
    return null;
  } catch (error) {
    const described = describe(error);
    if (described === null) throw error;
    return described;
  }
};

const note = async (tx: Tx, parked: ParkedEvent, error: string | null): Promise<void> => {
  const { checkpoint, projection, stream, revision } = parked;
  const key = [checkpoint, projection, stream, revision];
  const where = 'where checkpoint = $1 and projection = $2 and stream = $3 and revision = $4';
  if (error === null) await tx.query(`delete from parked_events ${where}`, key);
  else await tx.query(`update parked_events set error = $5 ${where}`, [...key, error]);
};
