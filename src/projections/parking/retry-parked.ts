import { inTransaction, retryingConflicts } from '../../common/transaction.ts';
import { enterSchema } from '../database/own-schema.ts';
import type { LogReader, Position, ReadEvent } from '../../eventstore/event-store.ts';
import { checkpointOf, type CheckpointRow } from '../follow/checkpoint.ts';
import type { ReadSkipped } from './parked-keys.ts';
import { readFirstOf, type ParkedEvent, type ParkedKey } from './parked-rows.ts';
import { listNames } from '../lists/write/operations.ts';
import { describePoison, isPoison } from './poison.ts';
import type { Projection, Tx } from '../follow/projection.ts';
import { applyInSavepoint } from '../follow/apply-single-event.ts';

export type RetryDependencies = {
  readonly tx: Tx;
  readonly projection: Projection;
  /** The schema of the tables, if they are not live. */
  readonly schema?: string;
  readonly log: Pick<LogReader, 'readEach'>;
  readonly skipped: ReadSkipped;
};

export type Retried = {
  readonly applied: number;
  readonly leftOut: number;
  /** The event at which the key still fails; null when it is no longer parked. */
  readonly stillAt: ParkedEvent | null;
};

/**
 * Applies a key's parked events in order, some a transaction, each of which locks the checkpoint, so that the leader knows. Released with its
 * last event; failures keep what came before. May be stopped or run twice. @throws when transient: that transaction did nothing
 */
export const retryKey = async (dependencies: RetryDependencies, key: ParkedKey): Promise<Retried> => {
  const skipped = await dependencies.skipped(key.projection);
  let [applied, leftOut] = [0, 0];
  for (;;) {
    const parked = await readFirstOf(dependencies.tx, key, atOnce);
    if (parked.length === 0) return { applied, leftOut, stillAt: null };
    const events = await readThem(dependencies.log, parked);
    const done = await inItsTables(dependencies, () => applyFirst(dependencies, key, { events, skipped }));
    applied += done.applied;
    leftOut += done.leftOut;
    if (done.stillAt) return { applied, leftOut, stillAt: done.stillAt };
  }
};

const atOnce = 500;

type Events = ReadonlyMap<bigint, ReadEvent>;

const readThem = async (
  log: Pick<LogReader, 'readEach'>,
  parked: readonly ParkedEvent[],
): Promise<Events> => {
  const [first, last] = [parked[0], parked.at(-1)];
  const events = new Map<bigint, ReadEvent>();
  if (!first || !last) return events;
  let from = first.revision;
  while (from <= last.revision) {
    const read = await log.readEach(first.stream, from, atOnce);
    for (const message of read) events.set(message.event.revision, message);
    from = (read.at(-1)?.event.revision ?? last.revision) + 1n;
  }
  return events;
};

type Chunk = { readonly events: Events; readonly skipped: ReadonlySet<string> };

const applyFirst = async (
  { tx, projection }: RetryDependencies,
  key: ParkedKey,
  { events, skipped }: Chunk,
): Promise<Retried> => {
  const checkpoint = await holdCheckpoint(tx, key);
  let [applied, leftOut] = [0, 0];
  let stillAt: ParkedEvent | null = null;
  const done: bigint[] = [];
  // Read again, now that nobody else writes them.
  for (const parked of await readFirstOf(tx, key, atOnce)) {
    if (skipped.has(parked.eventId)) leftOut += 1;
    else {
      const message = events.get(parked.revision);
      if (message === undefined && parked.revision > (maxOf(events) ?? -1n)) break; // it was parked in the meantime
      const error = message
        ? await applyInSavepoint(tx, projection, lateFor(projection, message, checkpoint))
        : new Error('gone');
      if (error !== null) {
        stillAt ??= { ...parked, error: message ? describe(error) : 'the event is no longer in its stream' };
        if (!projection.closes) break;
        continue;
      }
      applied += 1;
    }
    done.push(parked.revision);
  }
  await forget(tx, key, { done, stillAt });
  return { applied, leftOut, stillAt };
};

/** A failure that is about the statement, not about the event, is thrown as transient. */
const describe = (error: unknown): string => {
  if (!isPoison(error)) throw error;
  return describePoison(error);
};

const maxOf = (events: Events): bigint | undefined => [...events.keys()].at(-1);

/** Where an order is kept, a late event counts as of now: paginations that have begun end where they would have ended. */
const lateFor = (
  { keepsOrder = false }: Projection,
  message: ReadEvent,
  checkpoint: Position | null,
): ReadEvent =>
  keepsOrder && message.kind === 'event' && checkpoint
    ? { kind: 'event', event: { ...message.event, position: checkpoint } }
    : message;

/** Also notifies the leader, which reads this row with each of its transactions. */
const holdCheckpoint = async (tx: Tx, { checkpoint }: ParkedKey): Promise<Position | null> => {
  const { rows } = await tx.query<CheckpointRow>(
    `update checkpoints set parked_changes = parked_changes + 1 where name = $1
     returning commit_position, prepare_position`,
    [checkpoint],
  );
  return checkpointOf(rows);
};

type Done = { readonly done: readonly bigint[]; readonly stillAt: ParkedEvent | null };

const forget = async (
  tx: Tx,
  { checkpoint, projection, stream }: ParkedKey,
  { done, stillAt }: Done,
): Promise<void> => {
  const key = [checkpoint, projection, stream];
  if (done.length > 0) await tx.query(forgetThem, [...key, done]);
  if (stillAt)
    await tx.query(
      `update parked_events set error = $5 where checkpoint = $1 and projection = $2 and stream = $3 and revision = $4`,
      [...key, stillAt.revision, stillAt.error],
    );
};

/** The user of a profile is the user of all its records: every list changes. */
const forgetThem = `
  with forgotten as (
    delete from parked_events where checkpoint = $1 and projection = $2 and stream = $3 and revision = any($4)
    returning organization_id, list)
  insert into list_corrections (organization_id, list, times)
  select distinct organization_id, changed.list, 1
  from forgotten
  cross join lateral unnest(case when list = 'profiles' then array[${listNames.map((list) => `'${list}'`).join(', ')}]
                                 else array[list] end) as changed (list)
  where forgotten.list is not null
  on conflict (organization_id, list) do update set times = list_corrections.times + 1`;

const inItsTables = <T>({ tx, schema }: RetryDependencies, work: () => Promise<T>): Promise<T> =>
  retryingConflicts(() =>
    inTransaction(tx, async () => {
      // Shorter than a leader waits for its row.
      await tx.query(`set local statement_timeout = '8s'`);
      if (schema !== undefined) await enterSchema(tx, schema, true);
      return work();
    }),
  );
