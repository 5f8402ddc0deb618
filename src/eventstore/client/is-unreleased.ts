import { eventsByCategory, eventTypes } from '../../domain/events.ts';
import { categoryOf } from '../../domain/kernel/stream-name.ts';
import { statedVersion } from '../codec/envelope.ts';
import type { LogReader } from '../event-store.ts';

/** Another program's events may have our names; they are in other streams. */
export const makeIsUnreleased = (readLog: LogReader['readLog']): LogReader['isUnreleased'] => {
  return async () => {
    const found = new AbortController();
    const { signal } = found;
    try {
      for await (const { stream, type, metadata } of readLog({ after: null, only: { eventTypes }, signal }))
        if (mayHold(stream, type)) return statedVersion(metadata) === undefined;
      return false;
    } finally {
      found.abort();
    }
  };
};

const categories: Readonly<Record<string, object>> = eventsByCategory;

const mayHold = (stream: string, type: string): boolean => {
  const category = categoryOf(stream);
  return Object.hasOwn(categories, category) && Object.hasOwn(categories[category] ?? {}, type);
};
