import type { EventType } from '../../domain/events.ts';
import type { LogSubscriptions, Position } from '../../eventstore/event-store.ts';
import { linkAbort } from '../../common/linked-abort.ts';

export type Backlog = {
  readonly events: number;
  /** When the log stored the oldest one, in milliseconds since the Unix epoch. */
  readonly oldest: number | null;
  /** False when there are more, which were not counted. */
  readonly isAll: boolean;
};

export type Bounds = {
  readonly eventTypes: readonly EventType[];
  readonly most: number;
  readonly ms: number;
  /** With it, those that cannot be read count as well. */
  readonly unreadable?: 'deliver';
  readonly stopping?: AbortSignal;
};

/** Counts the events after a checkpoint, up to `most` or until the time limit. */
export const countBacklog = async (
  log: LogSubscriptions,
  checkpoint: Position | null,
  { most, ms, stopping, ...wanted }: Bounds,
): Promise<Backlog> => {
  const leaving = linkAbort(...(stopping ? [stopping] : []));
  const timer = setTimeout(() => leaving.abort(), ms);
  let [events, oldest, isAll]: [number, number | null, boolean] = [0, null, false];
  try {
    const { signal } = leaving;
    for await (const message of log.subscribe({ after: checkpoint, ...wanted, signal })) {
      if (message.kind === 'checkpoint') continue;
      isAll = message.kind === 'caught-up';
      if (message.kind === 'caught-up' || events === most) break;
      events += 1;
      oldest ??= message.event.created ?? null;
    }
  } finally {
    clearTimeout(timer);
    leaving.abort();
    leaving.unlink();
  }
  return { events, oldest, isAll };
};
