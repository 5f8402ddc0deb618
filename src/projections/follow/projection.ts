import type { ClientBase } from 'pg';
import type { EventOf, EventType } from '../../domain/events.ts';
import type { EventReference, RecordedEvent } from '../../eventstore/event-store.ts';

/** The transaction that a batch's rows and its checkpoint share. */
export type Tx = Pick<ClientBase, 'query'>;

/**
 * What a read model does with each event type: it folds the event into `rows`, the changes of one batch in memory. The
 * keys are the subscription filter. A handler neither awaits nor asks for the time, so that a replay ends in the same
 * tables.
 */
export type Handlers<Rows> = {
  readonly [T in EventType]?: (rows: Rows, data: EventOf<T>['data'], event: RecordedEvent) => void;
};

/** A read model's writer, as the projector runs it. */
export type Projection = {
  readonly name: string;
  readonly eventTypes: readonly EventType[];
  /**
   * While an event that it cannot apply is parked, the subject of the event's stream is closed, if tokens depend on it;
   * later events of the stream are still applied, in any order (ADR 20).
   */
  readonly closes?: boolean;
  /**
   * Rows keep the order in which events were applied: one that is applied late gets its place then, not by the time
   * when it was stored.
   */
  readonly keepsOrder?: boolean;
  begin(): Batch;
};

/** What is known of an event without its content. */
export type PassedEvent = EventReference & { readonly created?: number };

/** One batch of events: folded in memory, then written with a statement or two per table. */
export type Batch = {
  apply(event: RecordedEvent): void;
  /** Notes an event of a newer version that is passed over. */
  passOver?(event: PassedEvent): void;
  write(tx: Tx): Promise<void>;
};

export type ProjectionDefinition<Rows> = {
  readonly name: string;
  /** The changes of an empty batch. */
  readonly empty: () => Rows;
  readonly on: Handlers<Rows>;
  readonly closes?: boolean;
  readonly keepsOrder?: boolean;
  /** Writes the changes; with none it does nothing. The tables must not depend on how the log was cut into batches. */
  readonly write: (tx: Tx, rows: Rows) => Promise<void>;
};

export const defineProjection = <Rows>({
  name,
  empty,
  on,
  write,
  ...traits
}: ProjectionDefinition<Rows>): Projection => ({
  ...traits,
  name,
  eventTypes: Object.keys(on) as EventType[],
  begin() {
    const rows = empty();
    return {
      apply(event) {
        const handler = on[event.event.type] as
          ((rows: Rows, data: unknown, event: RecordedEvent) => void) | undefined;
        handler?.(rows, event.event.data, event);
      },
      write: (tx) => write(tx, rows),
    };
  },
});

/** One array per column, as `unnest` needs them. */
export const columnsOf = <Row extends object>(
  rows: readonly Row[],
  names: readonly (keyof Row)[],
): readonly unknown[][] => names.map((name) => rows.map((row) => row[name]));
