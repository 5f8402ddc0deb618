import type {
  AllStreamResolvedEvent,
  AppendExpectedRevision,
  EventData,
  EventStoreDBClient,
  Position,
  ReadStreamOptions,
  ResolvedEvent,
} from '@eventstore/db-client';
import {
  ANY,
  jsonEvent,
  NO_STREAM,
  StreamDeletedError,
  WrongExpectedVersionError,
} from '@eventstore/db-client';

/** Both ways to append must agree in everything: per-call credentials make the client take the classic one. */
export const paths = {
  batch: {},
  classic: { credentials: { username: 'admin', password: 'changeit' } },
} as const;
export type Path = keyof typeof paths;
export const bothPaths: readonly Path[] = ['batch', 'classic'];

export const happened = (n = 1, type = 'Happened'): EventData[] =>
  Array.from({ length: n }, (_, number) => jsonEvent({ type, data: { number } }));

/** Appends and says in one word what came of it. */
export const attempt = async (
  client: EventStoreDBClient,
  stream: string,
  events: EventData[],
  expectedRevision: AppendExpectedRevision = ANY,
  path: Path = 'batch',
): Promise<string> => {
  try {
    const { nextExpectedRevision } = await client.appendToStream(stream, events, {
      expectedRevision,
      ...paths[path],
    });
    return `written ${nextExpectedRevision}`;
  } catch (error) {
    if (error instanceof StreamDeletedError) return 'stream deleted';
    if (error instanceof WrongExpectedVersionError) return `wrong, is ${error.actualVersion}`;
    throw error;
  }
};

export type StreamState = 'never written' | 'only metadata' | 'two events' | 'soft-deleted' | 'tombstoned';

/** Brings a stream into a state; where it has events, they are revisions 0 and 1. */
export const given = async (
  client: EventStoreDBClient,
  stream: string,
  state: StreamState,
  events: EventData[] = happened(2),
): Promise<void> => {
  if (state === 'never written') return;
  if (state === 'only metadata') return void (await client.setStreamMetadata(stream, { owner: 'me' }));
  await client.appendToStream(stream, events, { expectedRevision: NO_STREAM });
  if (state === 'soft-deleted') await client.deleteStream(stream, { expectedRevision: ANY });
  if (state === 'tombstoned') await client.tombstoneStream(stream, { expectedRevision: ANY });
};

export const collect = async <Item>(items: AsyncIterable<Item>): Promise<Item[]> => {
  const collected: Item[] = [];
  for await (const item of items) collected.push(item);
  return collected;
};

export const readStream = (
  client: EventStoreDBClient,
  stream: string,
  options: ReadStreamOptions = {},
): Promise<ResolvedEvent[]> => collect(client.readStream(stream, options));

export const revisions = async (
  client: EventStoreDBClient,
  stream: string,
  options: ReadStreamOptions = {},
): Promise<number[]> =>
  (await readStream(client, stream, options)).map(({ event }) => Number(event?.revision));

/** Position of the newest event in the log. */
export const headOfLog = async (client: EventStoreDBClient): Promise<bigint> => {
  const newest = await collect<AllStreamResolvedEvent>(
    client.readAll({ direction: 'backwards', fromPosition: 'end', maxCount: 1 }),
  );
  return newest[0]?.event?.position.commit ?? 0n;
};

/** The stream of the event at this position. */
export const streamAt = async (client: EventStoreDBClient, at: Position | undefined): Promise<string> => {
  const [found] = await collect<AllStreamResolvedEvent>(
    client.readAll({ fromPosition: at ?? 'end', maxCount: 1 }),
  );
  return found?.event?.position.commit === at?.commit ? (found?.event?.streamId ?? '') : '';
};

/** What an operation is refused with. */
export const refusal = async (operation: Promise<unknown>): Promise<Error> => {
  try {
    await operation;
  } catch (error) {
    if (error instanceof Error) return error;
    throw error;
  }
  throw new Error('the operation succeeded');
};
