import {
  type AllStreamResolvedEvent,
  type EventStoreDBClient,
  eventTypeFilter,
  streamNameFilter,
} from '@eventstore/db-client';
import { comparePositions, type Position } from '../event-store.ts';
import { NoAnswer } from '../../common/with-timeout.ts';

/** The messages of one call, in order. */
export type Arrival =
  | { readonly kind: 'event'; readonly event: NonNullable<AllStreamResolvedEvent['event']> }
  | { readonly kind: 'checkpoint'; readonly position: Position }
  | { readonly kind: 'caught-up' };

/** One subscription call, until it drops. */
export type Source = {
  /** Waits for messages; null when the call has ended and all were taken. */
  take(): Promise<readonly Arrival[] | null>;
  /** The error that ended it; an end without an error counts as a drop, too. */
  ending(): unknown;
  /** Cancels the call; otherwise it stays open on the server. */
  readonly stop: () => void;
};

export type SourceOptions = {
  /** Exclusive; null is the beginning. */
  readonly after: Position | null;
  /** Filters by event type, or by stream name. */
  readonly by?: 'type' | 'stream';
  readonly regex: string;
  readonly confirmMs: number;
};

/** A checkpoint of 2^64−1 (24.2 to 24.10.4 send it on an empty log) would mean "the end" when used to resume. */
const positionsEnd = 2n ** 63n;

/** Whether a message at this position is one to take, after those up to `last`. */
export const isFurther = (position: Position, last: Position | null): boolean =>
  position.commit < positionsEnd && (last === null || comparePositions(position, last) > 0);

export const positionOf = (arrival: Exclude<Arrival, { readonly kind: 'caught-up' }>): Position =>
  arrival.kind === 'event' ? arrival.event.position : arrival.position;

/** How many events may wait for a slow consumer before backpressure reaches the server. */
const mostWaiting = 512;
/** The server sends a checkpoint after window × interval events, so that positions advance through long stretches without a match. */
const searchWindow = 256;
const checkpointInterval = 4;
export const eventsPerCheckpoint = searchWindow * checkpointInterval;

const ignore = (): void => undefined;

/** A call that could not begin. */
export const endedSource = (cause: unknown): Source => ({
  take: () => Promise.resolve(null),
  ending: () => cause,
  stop: ignore,
});

export const openSource = (
  esdb: EventStoreDBClient,
  { after, by = 'type', regex, confirmMs }: SourceOptions,
): Source => {
  let arrived: Arrival[] = [];
  /**
   * Checkpoints and caught-up messages overtake events that the client still buffers: each is held back until that many
   * events have arrived.
   */
  let overtaken: { readonly behind: number; readonly arrival: Arrival }[] = [];
  let seen = 0;
  let ended: { readonly cause: unknown } | undefined;
  let wake: () => void = ignore;
  let waking = false;

  // Waking up once per tick of the event loop delivers all events of one network packet together.
  const wakeSoon = (): void => {
    if (waking) return;
    waking = true;
    setImmediate(() => {
      waking = false;
      wake();
    });
  };
  const add = (arrival: Arrival): void => {
    if (ended) return;
    arrived.push(arrival);
    wakeSoon();
  };
  const addInOrder = (arrival: Arrival): void => {
    const behind = seen + subscription.readableLength;
    if (behind === seen && overtaken.length === 0) add(arrival);
    else overtaken.push({ behind, arrival });
  };
  const end = (cause: unknown): void => {
    clearTimeout(watchdog);
    ended ??= { cause };
    wakeSoon();
  };

  const subscription = esdb.subscribeToAll(
    {
      fromPosition: after ?? 'start',
      filter: (by === 'type' ? eventTypeFilter : streamNameFilter)({
        regex,
        maxSearchWindow: searchWindow,
        checkpointInterval,
        // The client waits for this promise, and stalls forever if it rejects.
        checkpointReached: (_, position) => addInOrder({ kind: 'checkpoint', position }),
      }),
    },
    { highWaterMark: 64 },
  );
  const watchdog = setTimeout(() => end(new NoAnswer(`not confirmed within ${confirmMs} ms`)), confirmMs);

  subscription
    .on('confirmation', () => clearTimeout(watchdog))
    .on('caughtUp', () => addInOrder({ kind: 'caught-up' }))
    .on('error', end)
    .on('end', () => end(undefined))
    .on('close', () => end(undefined))
    .on('data', ({ event }: AllStreamResolvedEvent) => {
      seen += 1;
      if (event) add({ kind: 'event', event });
      while (overtaken[0] && overtaken[0].behind <= seen)
        add((overtaken.shift() as { arrival: Arrival }).arrival);
      if (arrived.length >= mostWaiting) subscription.pause();
    });

  return {
    ending: () => ended?.cause,
    async take() {
      while (arrived.length === 0 && !ended) await new Promise<void>((resolve) => (wake = resolve));
      if (arrived.length === 0) return null;
      const taken = arrived;
      arrived = [];
      if (!ended) subscription.resume();
      return taken;
    },
    stop() {
      end(undefined);
      arrived = [];
      overtaken = [];
      subscription.unsubscribe().catch(ignore);
    },
  };
};
