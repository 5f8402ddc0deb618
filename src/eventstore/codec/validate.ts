import { randomUUID } from 'node:crypto';
import { eventsByCategory } from '../../domain/events.ts';
import { isRecordStream } from '../../domain/records/each-record.ts';
import type { StreamName } from '../../domain/streams.ts';
import { codec } from './codec.ts';
import type { EncodedEvent } from './envelope.ts';
import type { PersonalData } from './personal-data.ts';
import { type EventToAppend, type ExpectedRevision, InvalidAppend } from '../event-store.ts';

/** A valid append; its ids are fixed, so every retry is the same append. */
export type CheckedAppend = {
  readonly stream: StreamName;
  readonly expected: ExpectedRevision;
  readonly events: readonly (EncodedEvent & { readonly id: string })[];
};

/** The server's default maximum for one append, in bytes. */
export const maxAppendBytes = 1_048_576;
export const maxAppendEvents = 1_000;

const streamName = new RegExp(`^(?:${Object.keys(eventsByCategory).join('|')})-[A-Za-z0-9_.]{1,200}$`);
const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const nil = '00000000-0000-0000-0000-000000000000';
const maxRevision = 2n ** 63n - 1n;

/**
 * Whether the name is valid for our streams: a category, a dash, and up to 200 ASCII characters, of records those
 * of their ids. A write to `$$` ends the server's process; a long or non-ASCII name breaks its error answers.
 */
export const isStreamName = (name: string): name is StreamName =>
  streamName.test(name) || isRecordStream(name);

/**
 * Refuses, before a call leaves the process, appends that would break the client's shared append stream or the server.
 * Encrypts personal data if there are keys.
 * @throws InvalidAppend, PersonalDataUnavailable
 */
export const checkAppend = async (
  stream: StreamName,
  expected: ExpectedRevision,
  events: readonly EventToAppend[],
  personal?: PersonalData,
): Promise<CheckedAppend> => {
  if (!isStreamName(stream as string))
    throw new InvalidAppend(`not a stream name of ours (${stream.length} characters)`);
  if (!isExpectedRevision(expected))
    throw new InvalidAppend(`${stream}: not a revision: ${String(expected)}`);
  if (events.length === 0) throw new InvalidAppend(`${stream}: nothing to append`);
  if (events.length > maxAppendEvents)
    throw new InvalidAppend(`${stream}: ${events.length} events at once, at most ${maxAppendEvents}`);
  const encoded = events.map(({ event, metadata, id = randomUUID() }) => ({
    id,
    ...codec.encode(event, metadata),
  }));
  checkIds(stream, encoded);
  const encrypted = personal ? await personal.encrypt(stream, encoded) : encoded;
  checkSize(stream, encrypted);
  return { stream, expected, events: encrypted };
};

const isExpectedRevision = (expected: unknown): expected is ExpectedRevision =>
  expected === 'no-stream' || (typeof expected === 'bigint' && expected >= 0n && expected < maxRevision);

const checkIds = (stream: StreamName, events: CheckedAppend['events']): void => {
  for (const { id } of events)
    if (!uuid.test(id) || id === nil) throw new InvalidAppend(`${stream}: event ids are lower-case UUIDs`);
  if (events.length > 1 && new Set(events.map(({ id }) => id)).size < events.length)
    throw new InvalidAppend(`${stream}: the same event id twice`);
};

const checkSize = (stream: StreamName, events: CheckedAppend['events']): void => {
  const bytes = events.reduce((sum, event) => sum + sizeOf(event), 0);
  if (bytes > maxAppendBytes)
    throw new InvalidAppend(`${stream}: ${bytes} bytes at once, at most ${maxAppendBytes}`);
};

/** Counted like the server since 24.10.4: data, metadata and the type in UTF-16. */
const sizeOf = ({ type, data, metadata }: EncodedEvent): number =>
  Buffer.byteLength(JSON.stringify(data)) + Buffer.byteLength(JSON.stringify(metadata)) + 2 * type.length;
