import {
  comparePositions,
  type EventStore,
  type LogReader,
  type Position,
  type StoredEvent,
} from '../../eventstore/event-store.ts';
import { prefixOf } from '../../domain/kernel/stream-name.ts';
import { Interrupted } from '../interrupted.ts';
import type { HistoryReader } from '../../projections/history/read-history.ts';
import type { StreamsByOwner } from '../../projections/kernel/streams-by-owner.ts';

/** Sources of the events about a subject. The indexes lag: events after their checkpoints are read from the log itself. */
export type EventLookupDependencies = {
  readonly log: LogReader & Pick<EventStore, 'head'>;
  readonly history: HistoryReader;
  readonly streams: StreamsByOwner;
};

/** How far the log is read: later events, by position or by time, are left out. */
export type Range = {
  /** Inclusive. */
  readonly until: Position;
  /** Of the log's clock, milliseconds since the Unix epoch; inclusive. */
  readonly time?: number | undefined;
  readonly signal: AbortSignal;
};

export const isBeyond = (
  { position, created }: Pick<StoredEvent, 'position' | 'created'>,
  { until, time = Infinity }: Range,
): boolean => created > time || comparePositions(position, until) > 0;

/** The streams of these categories whose names begin with an owner's id, as a filter of the log. */
export const streamsOf = (ownerId: string, categories: readonly string[]) => ({
  streams: categories.map((category) => ({ prefix: `${prefixOf(category)}${ownerId}.` })),
});

/** An aborted read of the log ends without an error, as a complete one does; this tells them apart. @throws Interrupted */
export const unlessInterrupted = ({ signal }: Pick<Range, 'signal'>): void => {
  if (signal.aborted) throw new Interrupted('what concerns it was not read to the end');
};
