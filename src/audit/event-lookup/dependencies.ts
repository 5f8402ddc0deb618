import {
  comparePositions,
  type EventStore,
  type LogReader,
  type Position,
  type StoredEvent,
} from '../../eventstore/event-store.ts';
import { Interrupted } from '../interrupted.ts';
import type { HistoryReader } from '../../projections/read-history.ts';
import type { StreamsByOwner } from '../../projections/streams-by-owner.ts';

/** Where to look for what concerns somebody. The indexes lag: what came after their checkpoints is looked for in the log itself. */
export type EventLookupDependencies = {
  readonly log: LogReader & Pick<EventStore, 'head'>;
  readonly history: HistoryReader;
  readonly streams: StreamsByOwner;
};

/** How far the log is looked at: to what is later in one way or the other it is as if it were not there. */
export type Range = {
  /** Inclusive. */
  readonly until: Position;
  /** Of the log's clock, milliseconds since the Unix epoch; inclusive. */
  readonly time?: number;
  readonly signal: AbortSignal;
};

export const isBeyond = (
  { position, created }: Pick<StoredEvent, 'position' | 'created'>,
  { until, time = Infinity }: Range,
): boolean => created > time || comparePositions(position, until) > 0;

/** A reading of the log that is aborted ends like one that is whole. @throws Interrupted */
export const unlessInterrupted = ({ signal }: Pick<Range, 'signal'>): void => {
  if (signal.aborted) throw new Interrupted('what concerns it was not read to the end');
};
