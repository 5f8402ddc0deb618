import type { LogMessage, Position, RecordedEvent } from '../eventstore/event-store.ts';
import { moveCheckpoint, type Lease } from './checkpoint.ts';
import { lastPosition } from './log-messages.ts';
import type { Batch, Projection, Tx } from './projection.ts';

/** An event that a read model cannot take: trying again would fail again. */
export class ProjectionStuck extends Error {
  override readonly name = 'ProjectionStuck';
  readonly event: Pick<RecordedEvent, 'id' | 'stream' | 'revision'> & { readonly type: string };
  constructor(event: RecordedEvent, cause: unknown) {
    super(`The projections stopped at ${event.event.type} ${event.id} of ${event.stream}`, { cause });
    this.event = { id: event.id, stream: event.stream, revision: event.revision, type: event.event.type };
  }
}

export type BatchNeeds = {
  readonly client: Tx;
  readonly lease: Lease;
  readonly projections: readonly Projection[];
};

/**
 * Applies messages in order and moves the checkpoint past them, all in one transaction.
 * @returns the checkpoint's new position
 * @throws LeaseLost another one leads; ProjectionStuck one event cannot be applied, and everything ahead of it is;
 *   anything else is transient. Whatever is thrown, nothing of a transaction that failed stays.
 */
export const writeBatch = async (
  needs: BatchNeeds,
  from: Position | null,
  messages: readonly LogMessage[],
): Promise<Position | null> => {
  try {
    return await writeTogether(needs, from, messages);
  } catch (error) {
    if (!isDeterministic(error)) throw error;
    return writeOneByOne(needs, from, messages);
  }
};

const writeTogether = async (
  { client, lease, projections }: BatchNeeds,
  from: Position | null,
  messages: readonly LogMessage[],
): Promise<Position | null> => {
  const to = lastPosition(messages);
  if (to === null) return from;
  const batches = foldAll(projections, messages);
  await client.query('begin');
  try {
    await moveCheckpoint(client, lease, from, to);
    for (const batch of batches) await batch.write(client);
    await client.query('commit');
  } catch (error) {
    await client.query('rollback').catch(() => undefined); // the connection may be what failed
    throw error;
  }
  return to;
};

const foldAll = (projections: readonly Projection[], messages: readonly LogMessage[]): readonly Batch[] => {
  const batches = projections.map((projection) => projection.begin());
  try {
    for (const message of messages)
      if (message.kind === 'event') for (const batch of batches) batch.apply(message.event);
  } catch (error) {
    throw new FoldFailed('A read model could not fold an event', { cause: error });
  }
  return batches;
};

class FoldFailed extends Error {}

/** Finds the event that fails, after everything ahead of it has been applied. */
const writeOneByOne = async (
  needs: BatchNeeds,
  from: Position | null,
  messages: readonly LogMessage[],
): Promise<Position | null> => {
  let position = from;
  for (const message of messages) {
    try {
      position = await writeTogether(needs, position, [message]);
    } catch (error) {
      if (message.kind === 'event' && isDeterministic(error)) throw new ProjectionStuck(message.event, error);
      throw error;
    }
  }
  return position;
};

/**
 * A fold has no I/O, so it fails alike each time. From the database only its verdict on the data or the statement
 * (SQLSTATE classes 21, 22, 23, 42) is final: a lost connection, a full disk or a deadlock passes.
 */
const isDeterministic = (error: unknown): boolean => {
  if (error instanceof FoldFailed) return true;
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return typeof code === 'string' && /^(21|22|23|42)[0-9A-Z]{3}$/.test(code);
};
