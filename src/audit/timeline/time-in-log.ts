import type { EventStore, LogReader } from '../../eventstore/event-store.ts';
import { newestCopy } from '../log-copies/log-copy.ts';

export type TimeProblem = {
  readonly kind: 'to-come' | 'before-copy';
  /** The rest of a sentence that begins with the time. */
  readonly why: string;
  readonly allowed: string;
  /** Of a copy: when it was made, RFC 3339. */
  readonly since: string | null;
};

type Dependencies = {
  readonly store: Pick<EventStore, 'head' | 'readBack'> & Pick<LogReader, 'eventAt'>;
  readonly now: () => number;
};

/** What is wrong with a time (milliseconds since the Unix epoch) for a query, or null: not in the future, nor before the log was copied. */
export const timeProblem = async (dependencies: Dependencies, time: number): Promise<TimeProblem | null> => {
  if (await isToCome(dependencies, time))
    return {
      kind: 'to-come',
      why: 'is in the future',
      allowed: 'a time that is not in the future',
      since: null,
    };
  const copy = await newestCopy(dependencies.store);
  if (copy === null || time >= copy.at) return null;
  const copied = new Date(copy.at).toISOString();
  const since =
    'when this log was copied from another one: what was stored before has the time of the copy here';
  return {
    kind: 'before-copy',
    why: `lies before ${copied}, ${since}. Name a later time or a position, or ask the log that was copied (docs/how-to/copy-the-log.md)`,
    allowed: `a time from ${copied} on, ${since}`,
    since: copied,
  };
};

/** Judged by the later one of this machine's clock and the log's. */
const isToCome = async ({ store, now }: Dependencies, time: number): Promise<boolean> => {
  if (time <= now()) return false;
  const head = await store.head();
  const newest = head && (await store.eventAt(head));
  return !newest || time > newest.created;
};
