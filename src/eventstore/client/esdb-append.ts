import { type AppendToSend, type Attempt, attemptAppend } from './append-attempt.ts';
import { makeBackoff, pause } from '../../common/backoff.ts';
import { describeError } from './esdb-errors.ts';
import { AppendOutcomeUnknown, type EventStore, EventStoreUnavailable } from '../event-store.ts';
import type { Logger } from '../logger.ts';
import type { Outbox } from './outbox.ts';
import type { PersonalData } from '../codec/personal-data.ts';
import type { SeenRevisions } from './seen-revisions.ts';
import type { Timeouts } from './timeouts.ts';
import { checkAppend } from '../codec/validate.ts';
import type { WriteClient, WriteClients } from './write-client.ts';

type Dependencies = {
  readonly clients: WriteClients;
  readonly outbox: Outbox;
  readonly personal: PersonalData | undefined;
  readonly timeouts: Timeouts;
  readonly seen: SeenRevisions;
  readonly logger: Logger;
  /** Aborted when the store is closed. */
  readonly closed: AbortSignal;
};

/**
 * Appends; while the outcome is unknown, it appends the same ids at the same revision again. Retries are sequential,
 * never concurrent, because the server drops a duplicate that meets its original. A conflict after such a retry is
 * real: for our own write the server repeats its first answer.
 */
export const makeEsdbAppend =
  ({ clients, outbox, personal, timeouts, seen, logger, closed }: Dependencies): EventStore['append'] =>
  async (stream, expected, events) => {
    const append = await checkAppend(stream, expected, events, personal);
    const backoff = makeBackoff(50, 400);
    const started = performance.now();
    let maybeWritten = false;
    for (;;) {
      if (closed.aborted) throw giveUp(stream, maybeWritten, new Error('the event store was closed'));
      const { client, attempt } = await attemptWith(
        clients,
        outbox,
        append,
        attemptMs(started, maybeWritten, timeouts),
      );
      if (attempt.kind === 'answered') {
        const { result } = attempt;
        seen.note(stream, result.ok ? result.revision : result.actual);
        if (result.ok) seen.noteAppended(result.position, events.length);
        return result;
      }
      if (attempt.kind === 'refused') throw refusal(stream, maybeWritten, attempt.error);
      if (client && attempt.broken !== undefined && !closed.aborted) clients.replace(client, attempt.broken);
      maybeWritten ||= attempt.kind === 'unknown';
      const wait = backoff.next();
      if (performance.now() + wait - started >= patience(maybeWritten, timeouts))
        throw giveUp(stream, maybeWritten, attempt.cause);
      logRetry(logger, stream, attempt);
      await pause(wait, closed);
    }
  };

/** Without a leader nothing is sent: the next attempt asks for it again. */
const attemptWith = async (
  clients: WriteClients,
  outbox: Outbox,
  append: AppendToSend,
  ms: number,
): Promise<{ readonly client: WriteClient | null; readonly attempt: Attempt }> => {
  let client: WriteClient;
  try {
    client = await clients.current();
  } catch (cause) {
    return { client: null, attempt: { kind: 'not-sent', cause } };
  }
  return { client, attempt: await attemptAppend(client, outbox, append, ms) };
};

const patience = (maybeWritten: boolean, { outcomeMs, unavailableMs }: Timeouts): number =>
  maybeWritten ? outcomeMs : unavailableMs;

const attemptMs = (started: number, maybeWritten: boolean, timeouts: Timeouts): number =>
  maybeWritten
    ? Math.min(timeouts.appendMs, Math.max(1, started + timeouts.outcomeMs - performance.now()))
    : timeouts.appendMs;

const giveUp = (stream: string, maybeWritten: boolean, cause: unknown): Error =>
  maybeWritten
    ? new AppendOutcomeUnknown(`${stream}: the append may be written: ${describeError(cause)}`, { cause })
    : new EventStoreUnavailable(`${stream}: nothing was written: ${describeError(cause)}`, { cause });

/** A refused retry says nothing about an earlier attempt, which may have been written. */
const refusal = (stream: string, maybeWritten: boolean, error: Error): Error =>
  maybeWritten ? giveUp(stream, true, error) : error;

const logRetry = (
  logger: Logger,
  stream: string,
  attempt: Extract<Attempt, { readonly cause: unknown }>,
): void =>
  logger.warn(
    { stream, outcome: attempt.kind, cause: describeError(attempt.cause) },
    'event store: retrying the append',
  );
