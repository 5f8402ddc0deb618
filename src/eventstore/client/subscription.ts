import type { StreamName } from '../../domain/streams.ts';
import { makeBackoff, pause } from '../../common/backoff.ts';
import { describeError, isInvalidPosition, refusedAccess, statusOf } from './esdb-errors.ts';
import {
  EventOfNewerVersion,
  type EventReference,
  EventStoreUnavailable,
  type LogMessage,
  type LogSubscriptions,
  type Position,
  PositionNotInLog,
  type ReadEvent,
} from '../event-store.ts';
import { statesMaySkip } from '../codec/envelope.ts';
import type { Logger } from '../logger.ts';
import type { TakeEvents } from './take-events.ts';
import type { OpenTypes } from './shared-sources.ts';
import { type Arrival, isFurther, positionOf, type Source } from './subscription-source.ts';

export type SubscribeOptions = Parameters<LogSubscriptions['subscribe']>[0];

/** The same delivery in batches of messages that arrived together; never an empty one. */
export type LogBatches = {
  subscribeBatches(options: SubscribeOptions): AsyncIterable<readonly LogMessage[]>;
};

type Dependencies = {
  readonly open: OpenTypes;
  readonly logger: Logger;
  readonly take: TakeEvents;
  readonly random?: () => number;
  /** The longest wait before a retry. */
  readonly longestWaitMs?: number;
  /** How long it is resumed without headway; by default endlessly. */
  readonly resumeMs?: number;
  /** Called when a subscription resumes after a drop. */
  readonly resumed?: () => void;
};

/** Matches exactly these types. ASCII words only, so that .NET and JavaScript interpret it alike. */
export const regexOf = (types: readonly string[]): string => {
  const odd = types.find((type) => !/^[A-Za-z0-9]+$/.test(type));
  if (odd !== undefined) throw new TypeError('an event type is ASCII letters and digits');
  return `^(?:${types.join('|')})$`;
};

/**
 * Follows the log from a position, and after every drop, a normal end included, resumes after the last delivered
 * message: in order, without gaps or repeats. Ends when the signal aborts or the consumer stops.
 * @throws PositionNotInLog where retries cannot help
 * @throws EventOfNewerVersion at an event of `stopAt`
 * @throws EventStoreUnavailable after `resumeMs` without headway
 * @throws UndecodableEvent after everything before that event was delivered, unless it is delivered as `unreadable`
 */
export async function* followLog(
  { open, logger, take, random, resumed, longestWaitMs = 5_000, resumeMs = Infinity }: Dependencies,
  { after, eventTypes, unreadable = 'fail', stopAt = [], passOver, signal }: SubscribeOptions,
): AsyncGenerator<readonly LogMessage[]> {
  const asked = [...eventTypes, ...stopAt];
  const types = {
    wanted: new Set<string>(eventTypes),
    stopAt: new Set(stopAt),
    passOver: passOver && new Set(passOver),
  };
  const deliver = makeDelivery(after, types, (event) => take.read(event, unreadable));
  const backoff = makeResumption(resumeMs, longestWaitMs, random);
  while (!signal.aborted) {
    const source = await open({ after: deliver.last(), types: asked });
    signal.addEventListener('abort', source.stop);
    if (signal.aborted) source.stop(); // while it was opened
    const opened = performance.now();
    const from = deliver.last();
    let unopened: unknown;
    try {
      unopened = yield* takeAll(source, deliver, take);
    } finally {
      signal.removeEventListener('abort', source.stop);
      source.stop();
    }
    if (signal.aborted) return;
    if (isInvalidPosition(source.ending())) {
      resumed?.(); // the caller compares the log with its read models now
      throw positionNotInLog();
    }
    if (deliver.last() !== from || performance.now() - opened > steadyMs) backoff.reset();
    logger.warn(
      { cause: unopened ? describeError(unopened) : describeEnding(source) },
      'event store: subscription dropped; resuming',
    );
    await pause(backoff.next(unopened ?? source.ending()), signal);
    resumed?.();
  }
}

const longestWithoutRight = 500;

/** The waits before retries; they end with an error after `resumeMs` without a reset. */
export const makeResumption = (resumeMs: number, longestWaitMs: number, random?: () => number) => {
  const backoff = makeBackoff(100, Math.min(longestWaitMs, resumeMs / 10), random);
  let since: number | null = null;
  return {
    reset(): void {
      backoff.reset();
      since = null;
    },
    /** @throws EventStoreUnavailable */
    next(cause: unknown): number {
      // A right that returns is noticed within a second; a command waits for none.
      if (statusOf(cause) !== undefined) {
        if (resumeMs === Infinity) return Math.min(backoff.next(), longestWithoutRight);
        throw refusedAccess('read-all', cause);
      }
      since ??= performance.now();
      if (performance.now() - since < resumeMs) return backoff.next();
      throw new EventStoreUnavailable(`the log cannot be read: ${describeError(cause)}`, { cause });
    },
  };
};

/** A subscription that lasted this long was healthy. */
const steadyMs = 10_000;

/** @returns the error if messages could not be decrypted: none of them was delivered, so they can be requested again */
async function* takeAll(
  source: Source,
  deliver: Delivery,
  take: TakeEvents,
): AsyncGenerator<readonly LogMessage[], EventStoreUnavailable | undefined> {
  for (let arrivals = await source.take(); arrivals; arrivals = await source.take()) {
    const opened = await prepareArrivals(take, arrivals).catch(unopenedOrThrow);
    if (opened instanceof EventStoreUnavailable) return opened;
    const { messages, failure } = deliver.all(opened);
    if (messages.length > 0) yield messages;
    if (failure) throw failure.error;
  }
  return undefined;
}

/** One query for the keys of all messages that arrived together; messages without encrypted content are passed on unchanged. */
const prepareArrivals = async (
  take: TakeEvents,
  arrivals: readonly Arrival[],
): Promise<readonly Arrival[]> => {
  const events = arrivals.flatMap((arrival) => (arrival.kind === 'event' ? [arrival.event] : []));
  const opened = await take.prepare(events);
  if (opened === events) return arrivals;
  let next = 0;
  return arrivals.map((arrival) =>
    arrival.kind === 'event' ? { ...arrival, event: opened[next++] ?? arrival.event } : arrival,
  );
};

const unopenedOrThrow = (error: unknown): EventStoreUnavailable => {
  if (error instanceof EventStoreUnavailable) return error;
  throw error;
};

type ArrivedEvent = Extract<Arrival, { readonly kind: 'event' }>['event'];

const referenceOf = ({ id, streamId, revision, position, type }: ArrivedEvent): EventReference => ({
  id,
  stream: streamId as StreamName,
  revision,
  position,
  type,
});

type Delivery = {
  all(arrivals: readonly Arrival[]): {
    readonly messages: readonly LogMessage[];
    readonly failure?: { readonly error: unknown };
  };
  /** Where to resume: the position of the last event or checkpoint. */
  last(): Position | null;
};

type Types = Readonly<Record<'wanted' | 'stopAt', ReadonlySet<string>>> & {
  readonly passOver: ReadonlySet<string> | undefined;
};

const makeDelivery = (
  after: Position | null,
  { wanted, stopAt, passOver }: Types,
  read: (event: ArrivedEvent) => ReadEvent | null,
): Delivery => {
  let last = after;
  const toMessage = (arrival: Arrival): LogMessage | null => {
    if (arrival.kind === 'caught-up') return arrival;
    const position = positionOf(arrival);
    if (!isFurther(position, last)) return null;
    if (arrival.kind === 'checkpoint') {
      last = position;
      return arrival;
    }
    const message = toRead(arrival.event);
    last = position;
    return message;
  };
  const toRead = (event: ArrivedEvent): LogMessage | null => {
    const { type, metadata } = event;
    const isPassed = passOver?.has(type) === true && statesMaySkip(metadata);
    if (stopAt.has(type) && !isPassed)
      throw new EventOfNewerVersion(referenceOf(event), statesMaySkip(metadata));
    const message = wanted.has(type) || isPassed ? read(event) : null;
    const isSkippable = message?.kind === 'unreadable' && message.maySkip === true;
    if (isSkippable && passOver && !isPassed) throw new EventOfNewerVersion(referenceOf(event), true);
    return wanted.has(type) || isSkippable ? message : null;
  };
  return {
    last: () => last,
    all(arrivals) {
      const messages: LogMessage[] = [];
      for (const arrival of arrivals) {
        try {
          const message = toMessage(arrival);
          if (message) messages.push(message);
        } catch (error) {
          return { messages, failure: { error } };
        }
      }
      return { messages };
    },
  };
};

export const positionNotInLog = (): PositionNotInLog =>
  new PositionNotInLog(
    'the log has no event at a position where one was read before: it is another log, or was restored from an older backup',
  );

export const describeEnding = (source: Source): string => {
  const cause = source.ending();
  if (cause === undefined) return 'it ended';
  return statusOf(cause) === undefined ? describeError(cause) : refusedAccess('read-all', cause).message;
};
