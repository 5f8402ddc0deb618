import { inPipelinedTransaction, inTransaction } from '../../common/transaction.ts';
import type { LogMessage, Position, ReadEvent } from '../../eventstore/event-store.ts';
import { moveCheckpoint } from './checkpoint.ts';
import { foldAll, referenceIn } from './fold-messages.ts';
import { lastPosition } from './log-messages.ts';
import { park } from '../parking/park.ts';
import { ParkedKeysChanged } from '../parking/parked-keys.ts';
import { isDeterministic } from '../parking/poison.ts';
import { ProjectionStuck } from './projection-stuck.ts';
import { applySingleEvent, type BatchDependencies } from './apply-single-event.ts';

/**
 * Applies messages in order and moves the checkpoint past them, all in one transaction. When one of the projections
 * cannot apply an event, it is parked there with all later events of its key; the other projections continue.
 * @returns the checkpoint's new position
 * @throws LeaseLost another one leads; ProjectionStuck one event can be neither applied nor parked, and everything
 * before it is applied; anything else is transient. In all cases nothing remains of a failed transaction.
 */
export const writeBatch = async (
  dependencies: BatchDependencies,
  from: Position | null,
  messages: readonly LogMessage[],
): Promise<Position | null> => {
  try {
    return await writeOrDivide(dependencies, from, messages);
  } catch (error) {
    if (!(error instanceof ParkedKeysChanged)) throw error;
    await dependencies.parked?.reload();
    return writeBatch(dependencies, from, messages);
  }
};

/** Halves a failing batch, down to the event that fails: everything before it is written by then. */
const writeOrDivide: typeof writeBatch = async (dependencies, from, messages) => {
  try {
    return await writeTogether(dependencies, from, messages);
  } catch (error) {
    if (!isDeterministic(error)) throw error;
    const [only] = messages;
    if (messages.length === 1 && only) return writeOnly(dependencies, from, only, error);
    const middle = Math.ceil(messages.length / 2);
    return writeBatch(
      dependencies,
      await writeBatch(dependencies, from, messages.slice(0, middle)),
      messages.slice(middle),
    );
  }
};

const writeTogether = async (
  { client, lease, projections, parked }: BatchDependencies,
  from: Position | null,
  messages: readonly LogMessage[],
): Promise<Position | null> => {
  const to = lastPosition(messages);
  if (to === null) return from;
  const { batches, waiting } = foldAll(projections, messages, parked);
  const move = async () => {
    const changes = await moveCheckpoint(client, lease, from, to);
    if (parked && changes !== parked.changes()) throw new ParkedKeysChanged();
  };
  const write = async () => {
    for (const batch of batches) await batch.write(client);
    await park(client, lease.name, waiting);
  };
  await inPipelinedTransaction(client, move, write);
  return to;
};

/** Each projection separately, so that the failing one is known. */
const writeOnly = async (
  dependencies: BatchDependencies,
  from: Position | null,
  message: LogMessage,
  failure: unknown,
): Promise<Position | null> => {
  if (!isEvent(message)) throw failure;
  const event = referenceIn(message);
  const { client, lease, parked, poisoned = () => undefined } = dependencies;
  if (!parked) throw new ProjectionStuck(event, failure);
  const failed = await inTransaction(client, async () => {
    const changes = await moveCheckpoint(client, lease, from, event.position);
    if (changes !== parked.changes()) throw new ParkedKeysChanged();
    return applySingleEvent({ ...dependencies, parked }, message);
  }).catch((error: unknown) => {
    throw isDeterministic(error) ? new ProjectionStuck(event, error) : error;
  });
  for (const { projection, error } of failed) {
    parked.add(projection, event.stream);
    poisoned(event, projection, error);
  }
  return event.position;
};

const isEvent = (message: LogMessage): message is ReadEvent =>
  message.kind === 'event' || message.kind === 'unreadable';
