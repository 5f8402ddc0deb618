import { eventsByCategory, eventTypes } from '../domain/events.ts';
import { categoryOf } from '../domain/kernel/stream-name.ts';
import { commandTimeouts } from './client/timeouts.ts';
import { connectEventStore } from './client/esdb.ts';
import { statedVersion } from './codec/envelope.ts';
import { type LogReader, UnreleasedLog } from './event-store.ts';
import { silent } from './logger.ts';

/** Whether a version before the first release wrote the log: our first event in it states no version. @throws EventStoreUnavailable */
export const isUnreleased = async ({ readLog }: Pick<LogReader, 'readLog'>): Promise<boolean> => {
  const found = new AbortController();
  try {
    const only = { eventTypes };
    for await (const { stream, type, metadata } of readLog({ after: null, only, signal: found.signal }))
      if (mayHold(stream, type)) return statedVersion(metadata) === undefined;
    return false;
  } finally {
    found.abort();
  }
};

const categories: Readonly<Record<string, object>> = eventsByCategory;

const mayHold = (stream: string, type: string): boolean => {
  const category = categoryOf(stream);
  return Object.hasOwn(categories, category) && Object.hasOwn(categories[category] ?? {}, type);
};

export const unreleasedLog =
  'the event store of EVENTSTORE_URL holds the log of a version before 1.0.0, which no release reads. Nothing was changed. Let EVENTSTORE_URL lead to an empty event store, and DATABASE_URL to an empty database.';

/** Before anything is made of the log. One that cannot be read now is asked again once it can. @throws UnreleasedLog */
export const refuseUnreleased = async (url: string): Promise<void> => {
  const log = connectEventStore({ url, logger: silent, timeouts: commandTimeouts });
  const found = await isUnreleased(log).catch(() => false);
  await log.close();
  if (found) throw new UnreleasedLog(unreleasedLog);
};
