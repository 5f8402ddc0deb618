import { removedStreamName } from '../../domain/log/retention.ts';
import type { StreamName } from '../../domain/streams.ts';
import {
  comparePositions,
  type LogMessage,
  type LogSubscriptions,
  type Position,
  type ReadEvent,
} from '../../eventstore/event-store.ts';
import { linkAbort } from '../../common/linked-abort.ts';
import { makeBatchQueue, type BatchQueue } from '../follow/batch-queue.ts';
import type { Lease } from '../follow/checkpoint.ts';
import type { ParkedKeys } from '../parking/parked-keys.ts';
import type { Projection, Tx } from '../follow/projection.ts';
import { writeBatch } from '../follow/write-batch.ts';
import type { Rebuildable } from './rebuildables.ts';

/** A connection that writes one part of a version, and the position of that part. */
export type Worker = {
  readonly tx: Tx;
  readonly lease: Lease;
  readonly position: Position | null;
  /** The parked keys of this part of the version: what the projection cannot apply is parked here, too (ADR 20). */
  readonly parked: ParkedKeys;
};

export type AdvanceDependencies = {
  readonly log: LogSubscriptions;
  readonly projection: Projection;
  /** Which events have to be written by the same worker, and which by all of them. */
  readonly keyOf: Rebuildable['keyOf'];
  readonly signal: AbortSignal;
  /**
   * Called after each batch with the number of its events and the part's new position. The next batch of the part waits
   * for it.
   */
  readonly wrote?: (worker: number, events: number, position: Position | null) => Promise<void> | void;
  /** The most messages in one transaction. */
  readonly batchSize?: number;
};

/**
 * Applies the events between the workers' positions and `target` (inclusive), and moves their checkpoints to exactly
 * there. One subscription is decoded, ahead of the database, for all workers.
 * @returns the workers with their new positions: before `target` when the signal was aborted
 */
export const advance = async (
  dependencies: AdvanceDependencies,
  workers: readonly Worker[],
  target: Position,
): Promise<readonly Worker[]> => {
  const { signal, batchSize = 1000 } = dependencies;
  if (workers.every(({ position }) => isAt(position, target))) return workers;
  const leaving = linkAbort(signal);
  const queues = workers.map(() => makeBatchQueue<LogMessage>(2 * batchSize));
  const reading = distribute({ ...dependencies, signal: leaving.signal }, workers, queues, target);
  try {
    return await Promise.all(
      workers.map((worker, index) =>
        writeAll(dependencies, worker, index, queues[index] as BatchQueue<LogMessage>),
      ),
    );
  } finally {
    leaving.abort();
    leaving.unlink();
    for (const queue of queues) queue.end();
    await reading;
  }
};

export const isEvent = (message: LogMessage): message is ReadEvent =>
  message.kind === 'event' || message.kind === 'unreadable';

const isAt = (position: Position | null, target: Position): boolean =>
  position !== null && comparePositions(position, target) >= 0;

const distribute = async (
  { log, projection, keyOf, signal }: AdvanceDependencies,
  workers: readonly Worker[],
  queues: readonly BatchQueue<LogMessage>[],
  target: Position,
): Promise<void> => {
  const behind = workers.map(({ position }) => position);
  const push = (index: number, message: LogMessage, at: Position) => {
    const position = behind[index] ?? null;
    return position !== null && comparePositions(at, position) <= 0
      ? null
      : (queues[index]?.push(message) ?? null);
  };
  try {
    const messages = log.subscribe({
      after: leastOf(behind),
      eventTypes: projection.eventTypes,
      unreadable: 'deliver',
      signal,
    });
    for await (const message of messages) {
      if (message.kind === 'caught-up') break;
      const at = message.kind === 'checkpoint' ? message.position : message.event.position;
      if (comparePositions(at, target) > 0) break;
      const key = message.kind === 'checkpoint' ? null : keyOf(message.event);
      if (key !== null) {
        const room = push(partOf(key, workers.length), message, at);
        if (room) await room;
      } else
        for (const index of workers.keys()) {
          const isIts = (stream: StreamName) => partOf(keyOf({ stream }) ?? stream, workers.length) === index;
          const room = push(index, shareOf(message, isIts), at);
          if (room) await room;
        }
    }
    if (!signal.aborted)
      for (const index of workers.keys()) void push(index, { kind: 'checkpoint', position: target }, target);
    for (const queue of queues) queue.end();
  } catch (error) {
    for (const queue of queues) queue.end(error);
  }
};

/**
 * An event about streams of several parts is split: each part gets only its own streams, because it may be ahead of the
 * other parts.
 */
const shareOf = (message: LogMessage, isIts: (stream: StreamName) => boolean): LogMessage => {
  if (message.kind !== 'event' || message.event.event.type !== 'StreamsRemoved') return message;
  const { type, data } = message.event.event;
  const streams = data.streams.filter((stream) => isIts(removedStreamName(data.category, stream)));
  return { kind: 'event', event: { ...message.event, event: { type, data: { ...data, streams } } } };
};

const leastOf = (positions: readonly (Position | null)[]): Position | null =>
  positions.reduce((a, b) => (a === null || b === null ? null : comparePositions(a, b) <= 0 ? a : b));

/** FNV-1a: the same on every run, because a started part is continued. */
const partOf = (key: string, parts: number): number => {
  if (parts === 1) return 0;
  let hash = 0x811c9dc5;
  for (let i = 0; i < key.length; i += 1) hash = Math.imul(hash ^ key.charCodeAt(i), 0x01000193);
  return (hash >>> 0) % parts;
};

const writeAll = async (
  { projection, signal, wrote, batchSize = 1000 }: AdvanceDependencies,
  worker: Worker,
  index: number,
  queue: BatchQueue<LogMessage>,
): Promise<Worker> => {
  const { tx: client, lease, parked } = worker;
  let { position } = worker;
  while (!signal.aborted) {
    const messages = await queue.take(batchSize);
    if (messages.length === 0) break;
    position = await retryingDeadlocks(() =>
      writeBatch({ client, lease, projections: [projection], parked }, position, messages),
    );
    await wrote?.(index, messages.filter(isEvent).length, position);
  }
  return { ...worker, position };
};

/** Parts may add to the same row. The transaction that loses is rolled back completely and tried again. */
const retryingDeadlocks = async <T>(write: () => Promise<T>): Promise<T> => {
  for (let attempt = 1; ; attempt += 1)
    try {
      return await write();
    } catch (error) {
      if ((error as { code?: unknown } | null)?.code !== '40P01' || attempt === 20) throw error;
    }
};
