import { writeSide } from '../domain/log/parked-event.ts';
import { projectionStream } from '../domain/streams.ts';
import type { LogReader } from './event-store.ts';

/** Whether an operator has skipped this event, by its id, so that no decision depends on it (ADR 20). */
export type IsSkipped = (eventId: string) => Promise<boolean>;

const pageSize = 500;

/** Asked only about events that cannot be decoded. It reads the log, so that a skip takes effect on every instance at once. */
export const makeIsSkipped = (readStored: LogReader['readStored']): IsSkipped => {
  const known = new Set<string>();
  let next = 0n;
  return async (eventId) => {
    for (;;) {
      if (known.has(eventId)) return true;
      const page = await readStored(projectionStream(writeSide), next, pageSize);
      for (const { type, data, revision } of page) {
        const id = (data as { eventId?: unknown } | null)?.eventId;
        if (type === 'ParkedEventSkipped' && typeof id === 'string') known.add(id);
        next = revision + 1n;
      }
      if (page.length < pageSize) return known.has(eventId);
    }
  };
};
