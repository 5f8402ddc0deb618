import { setTimeout as delay } from 'node:timers/promises';
import { statement } from '../../common/transaction.ts';
import {
  comparePositions,
  type EventStore,
  type LogReader,
  type Position,
  type StoredEvent,
  UnreleasedLog,
} from '../../eventstore/event-store.ts';
import { readMarks, readNewestMark, toMark, toPosition, type LogMark, type MarkRow } from './log-marks.ts';
import type { PipelinedReader } from '../database/pipelined-reader.ts';

/** What this database has applied but the log does not have; `unreleased`: nothing yet, and no release has written the log. */
export type LogMismatch = LostEvents | 'unreleased';

type LostEvents = {
  readonly head: Position | null;
  readonly ahead: readonly { readonly name: string; readonly position: Position }[];
  /** The oldest known event that is missing; null when only checkpoints or positions show it. */
  readonly missing: LogMark | null;
  readonly held: LogMark | null;
  /** The newest known event as stored now, if it has moved: then the log is a copy with its own positions. */
  readonly copied: Pick<StoredEvent, 'position' | 'created'> | null;
};

export type CompareDependencies = {
  /** Where this process already writes the probe of readiness: an append confirms the leader, too. */
  readonly isRunning?: boolean;
  readonly log: Pick<EventStore, 'head' | 'confirmLeader'> & Pick<LogReader, 'isUnreleased' | 'readStored'>;
  readonly reader: Pick<PipelinedReader, 'query'>;
};

type CheckpointRow = Pick<MarkRow, 'commit_position' | 'prepare_position'> & { readonly name: string };

const readCheckpoints = statement('all-checkpoints')`
  select name, commit_position, prepare_position from checkpoints where commit_position is not null order by name`;

/** Whether the log has what tables were built from: every checkpoint and the newest mark, past a cut log that grew. Null: agrees. */
const compareWithLog = async ({ log, reader }: CompareDependencies): Promise<LogMismatch | null> => {
  const checkpoints = await reader.query<CheckpointRow>(readCheckpoints, []);
  if (checkpoints.length === 0 && (await log.isUnreleased())) return 'unreleased';
  const [newest] = (await reader.query<MarkRow>(readNewestMark, [])).map(toMark);
  const head = await log.head(); // read after what is compared with it: the log only grows
  const ahead = checkpoints
    .map((row) => ({ name: row.name, position: toPosition(row) }))
    .filter(({ position }) => head === null || comparePositions(position, head) > 0);
  const storedOf = async ({ stream, revision, id }: LogMark): Promise<StoredEvent | null> => {
    const [stored] = await log.readStored(stream, revision, 1);
    return stored?.id === id && stored.revision === revision ? stored : null;
  };
  const isThere = async (mark: LogMark) => (await storedOf(mark)) !== null;
  const stored = newest ? await storedOf(newest) : null;
  const newestIsThere = !newest || stored !== null;
  if (newest && stored && !isSamePlace(newest, stored))
    return { head, ahead, missing: null, held: newest, copied: stored };
  if (ahead.length === 0 && newestIsThere) return null;
  const marks = newestIsThere && newest ? [newest] : (await reader.query<MarkRow>(readMarks, [])).map(toMark);
  const held = newestIsThere ? marks.length : await countHeld(marks, isThere);
  return { head, ahead, missing: marks[held] ?? null, held: marks[held - 1] ?? null, copied: null };
};

/** A restored server, or another node of its cluster, has every event at the same position and with the same time. */
const isSamePlace = (mark: LogMark, stored: StoredEvent): boolean =>
  comparePositions(mark.position, stored.position) === 0 && mark.created === stored.created;

/** How many of the marks the log has, by binary search; the newest one is missing. */
const countHeld = async (
  marks: readonly LogMark[],
  isThere: (mark: LogMark) => Promise<boolean>,
): Promise<number> => {
  let [low, high] = [0, marks.length - 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    const mark = marks[middle];
    if (mark && (await isThere(mark))) low = middle + 1;
    else high = middle;
  }
  return low;
};

/** Only a lasting mismatch, still there after the leader was confirmed: nodes may be behind. @throws when none can be asked */
export const findMismatch = async (
  dependencies: CompareDependencies,
  patienceMs: number,
  signal?: AbortSignal,
): Promise<LogMismatch | null> => {
  const deadline = performance.now() + patienceMs;
  for (;;) {
    const isLast = performance.now() >= deadline;
    const found = await compareWithLog(dependencies);
    if (found === null || found === 'unreleased') return found;
    if (isLast) break;
    await delay(250, undefined, signal && { signal });
  }
  await dependencies.log.confirmLeader(dependencies.isRunning ? undefined : 'asking');
  return compareWithLog(dependencies);
};

export const describeMismatch = (mismatch: LogMismatch): string => {
  if (mismatch === 'unreleased') return new UnreleasedLog().message;
  const { copied, ...lost } = mismatch;
  return copied && lost.held ? describeCopy(lost.held, copied) : describeOlder(lost);
};

const describeCopy = (held: LogMark, copied: NonNullable<LostEvents['copied']>): string =>
  `the event store of EVENTSTORE_URL holds a copy of the log that the database of DATABASE_URL was built from: ${describe(held)}, was stored there at position ${copied.position.commit}, at ${new Date(copied.created).toISOString()}. Nothing was changed. Positions of one log mean nothing in another: give the copy an empty database, with the keys of persons and the signing keys of this one: docs/how-to/copy-the-log.md, "After the copy".`;

const describeOlder = ({ head, ahead, missing, held }: Omit<LostEvents, 'copied'>): string =>
  [
    'the event store of EVENTSTORE_URL does not have the log that the database of DATABASE_URL was built from: it was restored from an older backup, or one of the two settings leads elsewhere.',
    ...(ahead.length > 0
      ? [
          `Ahead of its newest event (${head?.commit ?? 'it has none'}): ${ahead.map(({ name, position }) => `${name} (${position.commit})`).join(', ')}.`,
        ]
      : []),
    ...(missing ? [`Missing from it: ${describe(missing)}.`] : []),
    ...(held ? [`The newest event that both are known to have is ${describe(held)}.`] : []),
    'Nothing was changed. Restore a newer backup of the event store, or give up what is lost: docs/how-to/back-up-and-restore.md, "The event store was restored from an older backup".',
  ].join(' ');

const describe = ({ id, stream, revision, position, created }: LogMark): string =>
  `event ${id}, revision ${revision} of ${stream} at position ${position.commit}, of ${new Date(created).toISOString()}`;
