import { withClient } from '../../common/with-client.ts';
import { relayCheckpoint } from '../../reactions/relay.ts';
import type { EventType } from '../../domain/events.ts';
import type { LogSubscriptions, Position } from '../../eventstore/event-store.ts';
import { publishedTypes } from '../../kafka/contract/decisions.ts';
import { checkpointOf, readCheckpoint, type CheckpointRow } from '../../projections/follow/checkpoint.ts';

export type Backlog = {
  /** The broker has acknowledged everything up to here; null before the first publication. */
  readonly checkpoint: Position | null;
  readonly events: number;
  /** When the log stored the oldest one, in milliseconds since the Unix epoch. */
  readonly oldest: number | null;
  /** False when there are more, which were not counted. */
  readonly isAll: boolean;
};

export const readRelayCheckpoint = (databaseUrl: string): Promise<Position | null> =>
  withClient({ connectionString: databaseUrl, connectionTimeoutMillis: 5_000 }, async (client) => {
    const { rows } = await client.query<CheckpointRow>(readCheckpoint.text, [relayCheckpoint]);
    return checkpointOf(rows);
  });

type Bounds = {
  readonly most: number;
  readonly ms: number;
  /** By default all types that the relay publishes. */
  readonly eventTypes?: readonly EventType[];
};

/** Counts the events after the checkpoint, up to `most` or until the time limit. */
export const countBacklog = async (
  log: LogSubscriptions,
  checkpoint: Position | null,
  { most, ms, eventTypes = publishedTypes }: Bounds,
): Promise<Backlog> => {
  const leaving = new AbortController();
  const signal = AbortSignal.any([leaving.signal, AbortSignal.timeout(ms)]);
  let [events, oldest, isAll]: [number, number | null, boolean] = [0, null, false];
  try {
    for await (const message of log.subscribe({ after: checkpoint, eventTypes, signal })) {
      if (message.kind === 'caught-up') isAll = true;
      if (message.kind === 'caught-up' || (message.kind === 'event' && events === most)) break;
      if (message.kind === 'event') {
        events += 1;
        oldest ??= message.event.created;
      }
    }
  } finally {
    leaving.abort();
  }
  return { checkpoint, events, oldest, isAll };
};
