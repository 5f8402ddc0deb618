import type { AppendResult as ClientResult, JSONEventData } from '@eventstore/db-client';
import { codeOf, readAppendError } from './esdb-errors.ts';
import type { AppendResult, ExpectedRevision } from '../event-store.ts';
import type { Outbox } from './outbox.ts';
import { NoAnswer, withTimeout } from '../../common/with-timeout.ts';
import { appendStream, bearLateAnswers, serverFeatures, type WriteClient } from './write-client.ts';

/** One of our appends, at an exact revision, or a probe, at any revision. */
export type AppendToSend = {
  readonly stream: string;
  readonly expected: ExpectedRevision | 'any';
  readonly events: readonly {
    readonly id: string;
    readonly type: string;
    readonly data: object;
    readonly metadata: object;
  }[];
};

/** The outcome of one attempt. `broken` says why the client can no longer be used, if so. */
export type Attempt =
  | { readonly kind: 'answered'; readonly result: AppendResult }
  | { readonly kind: 'refused'; readonly error: Error }
  | { readonly kind: 'not-sent'; readonly cause: unknown; readonly broken?: string }
  | { readonly kind: 'unknown'; readonly cause: unknown; readonly broken?: string };

/**
 * The server compares the deadline of an append with its own clock: this is the clock difference that we tolerate. The
 * server's own time limit (2 s) and ours do not depend on it.
 */
const clockSkewMs = 300_000;

/** Appends once, with a time limit. Never rejects. */
export const attemptAppend = async (
  client: WriteClient,
  outbox: Outbox,
  append: AppendToSend,
  ms: number,
): Promise<Attempt> => {
  const repliesBefore = client.replies;
  const progress = { sent: false, abandoned: false };
  try {
    const written = await withTimeout(ms, send(client, outbox, append, progress));
    client.replies += 1;
    return answered(append, written);
  } catch (error) {
    progress.abandoned = true;
    const silent = error instanceof NoAnswer && client.replies === repliesBefore;
    if (!progress.sent) return { kind: 'not-sent', cause: error, ...brokenBeforeSending(error, silent) };
    return failed(client, append, error, silent);
  } finally {
    bearLateAnswers(client);
  }
};

const send = async (
  client: WriteClient,
  outbox: Outbox,
  { stream, expected, events }: AppendToSend,
  progress: { sent: boolean; readonly abandoned: boolean },
): Promise<ClientResult | undefined> => {
  const { esdb } = client;
  await serverFeatures(client);
  await outbox.turn(() => appendStream(esdb));
  if (progress.abandoned) return undefined;
  progress.sent = true;
  return esdb.appendToStream(stream, events.map(toClientEvent), {
    expectedRevision: toClientRevision(expected),
    deadline: clockSkewMs,
  });
};

const answered = ({ stream }: AppendToSend, written: ClientResult | undefined): Attempt => {
  if (written?.position)
    return {
      kind: 'answered',
      result: { ok: true, revision: written.nextExpectedRevision, position: written.position },
    };
  // The server knows these ids from events that can no longer be read: nothing was written now.
  return {
    kind: 'refused',
    error: new Error(`${stream}: the event ids belong to events that have been removed`),
  };
};

const failed = (
  client: WriteClient,
  { stream, expected }: AppendToSend,
  error: unknown,
  silent: boolean,
): Attempt => {
  if (error instanceof NoAnswer)
    return { kind: 'unknown', cause: error, ...(silent && { broken: 'no answer to any append' }) };
  const meaning = readAppendError(stream, error, expected);
  if (meaning.kind !== 'unknown') client.replies += 1;
  switch (meaning.kind) {
    case 'conflict':
      return { kind: 'answered', result: { ok: false, actual: meaning.actual } };
    case 'refused':
      return meaning;
    case 'unknown':
      return {
        kind: 'unknown',
        cause: error,
        ...(meaning.streamFailed && { broken: 'the stream of appends broke' }),
      };
  }
};

const grpcCancelled = 1;
const grpcUnavailable = 14;

/** The client asks again only after these two codes; it caches any other failure forever. */
const brokenBeforeSending = (error: unknown, silent: boolean): { readonly broken?: string } => {
  if (error instanceof NoAnswer) return silent ? { broken: 'no answer to anything' } : {};
  const code = codeOf(error);
  return code === grpcUnavailable || code === grpcCancelled ? {} : { broken: 'server features failed' };
};

/** As bytes: the client encodes an object as base64, twice. */
const utf8 = new TextEncoder();

const toClientEvent = ({ id, type, data, metadata }: AppendToSend['events'][number]): JSONEventData => ({
  id,
  contentType: 'application/json',
  type,
  data: data as Record<string, unknown>,
  metadata: utf8.encode(JSON.stringify(metadata)),
});

const toClientRevision = (expected: AppendToSend['expected']) =>
  expected === 'no-stream' ? 'no_stream' : expected;
