import {
  comparePositions,
  type LogMessage,
  type LogSubscriptions,
  type Position,
  type ReadEvent,
} from '../../eventstore/event-store.ts';
import { retryingConflicts } from '../../common/transaction.ts';
import type { Lease } from '../follow/checkpoint.ts';
import type { Projection, Tx } from '../follow/projection.ts';
import { readAhead } from '../follow/read-ahead.ts';
import { writeBatch } from '../follow/write-batch.ts';
import type { ParkedKeys } from '../parking/parked-keys.ts';

/** The connection that writes a version, and the position of its rows. */
export type Worker = {
  readonly tx: Tx;
  readonly lease: Lease;
  readonly position: Position | null;
  /** The parked keys of the version: what the projection cannot apply is parked here, too (ADR 20). */
  readonly parked: ParkedKeys;
};

export type AdvanceDependencies = {
  readonly log: LogSubscriptions;
  readonly projection: Projection;
  readonly signal: AbortSignal;
  /** Called after each batch with the number of its events and the new position. The next batch waits for it. */
  readonly wrote?: (events: number, position: Position | null) => Promise<void> | void;
  /** The most messages in one transaction. */
  readonly batchSize?: number;
};

/** Applies events up to `target`, inclusive, decoding ahead, and moves the checkpoint there; before it when aborted. */
export const advance = async (
  { log, projection, signal, wrote, batchSize = 1000 }: AdvanceDependencies,
  worker: Worker,
  target: Position,
): Promise<Worker> => {
  const { tx: client, lease, parked } = worker;
  let { position } = worker;
  if (position !== null && comparePositions(position, target) >= 0) return worker;
  const ending: LogSubscriptions = { subscribe: (options) => endingAt(log, options, target) };
  const from = { after: position, eventTypes: projection.eventTypes, signal };
  const ahead = readAhead(ending, from, 2 * batchSize);
  try {
    while (!signal.aborted) {
      const messages = await ahead.take(batchSize);
      if (messages.length === 0) break;
      // The live projector erases persons in this version, too.
      position = await retryingConflicts(() =>
        writeBatch({ client, lease, projections: [projection], parked }, position, messages),
      );
      await wrote?.(messages.filter(isEvent).length, position);
    }
  } finally {
    await ahead.leave();
  }
  return { ...worker, position };
};

export const isEvent = (message: LogMessage): message is ReadEvent =>
  message.kind === 'event' || message.kind === 'unreadable';

type Subscription = Parameters<LogSubscriptions['subscribe']>[0];

/** The messages up to `target` (inclusive), and then the target itself, unless the signal was aborted. */
export async function* endingAt(
  log: LogSubscriptions,
  options: Subscription,
  target: Position,
): AsyncIterable<LogMessage> {
  for await (const message of log.subscribe({ ...options, unreadable: 'deliver' })) {
    if (message.kind === 'caught-up') break;
    const at = message.kind === 'checkpoint' ? message.position : message.event.position;
    if (comparePositions(at, target) > 0) break;
    yield message;
  }
  if (!options.signal.aborted) yield { kind: 'checkpoint', position: target };
}
