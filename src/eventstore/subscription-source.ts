import {
  type AllStreamResolvedEvent,
  type EventStoreDBClient,
  eventTypeFilter,
  streamNameFilter,
} from '@eventstore/db-client';
import type { Position } from './event-store.ts';
import { NoAnswer } from '../common/with-timeout.ts';

/** What one call delivers, in its order. */
export type Arrival =
  | { readonly kind: 'event'; readonly event: NonNullable<AllStreamResolvedEvent['event']> }
  | { readonly kind: 'checkpoint'; readonly position: Position }
  | { readonly kind: 'caught-up' };

/** One subscription call, until it drops. */
export type Source = {
  /** Waits for what has arrived; null when the call has ended and everything was taken. */
  take(): Promise<readonly Arrival[] | null>;
  /** Why it ended; an end without an error is a drop like any other. */
  ending(): unknown;
  /** Cancels the call: leaving it alone would keep it open on the server. */
  readonly stop: () => void;
};

export type SourceOptions = {
  /** Exclusive; null is the beginning. */
  readonly after: Position | null;
  /** Of the events' types, or of their streams' names. */
  readonly by?: 'type' | 'stream';
  readonly regex: string;
  readonly confirmMs: number;
};

/** Events that may wait for a slow consumer before the server is made to wait. */
const mostWaiting = 512;
/** Considered events between checkpoints: window × interval. Positions move on through long stretches without a match. */
const searchWindow = 256;
const checkpointInterval = 4;

const ignore = (): void => undefined;

export const openSource = (
  esdb: EventStoreDBClient,
  { after, by = 'type', regex, confirmMs }: SourceOptions,
): Source => {
  let arrived: Arrival[] = [];
  /** Checkpoints and caught-ups overtake the events that the client still buffers: each waits for so many events. */
  let overtaken: { readonly behind: number; readonly arrival: Arrival }[] = [];
  let seen = 0;
  let ended: { readonly cause: unknown } | undefined;
  let wake: () => void = ignore;
  let waking = false;

  // A turn of the event loop gathers what came in one piece of the network: one wake-up for many events.
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
        // The client waits for this before it goes on, and stalls for ever if it rejects.
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
