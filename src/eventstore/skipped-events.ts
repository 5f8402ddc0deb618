import { writeSide } from '../domain/log/parked-event.ts';
import { projectionStream } from '../domain/streams.ts';
import { isOfNewerVersion } from './codec/codec.ts';
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
      for (const event of page) {
        const id = (event.data as { eventId?: unknown } | null)?.eventId;
        const isSkip = event.type === 'ParkedEventSkipped' && !isOfNewerVersion(event);
        if (isSkip && typeof id === 'string') known.add(id);
        next = event.revision + 1n;
      }
      if (page.length < pageSize) return known.has(eventId);
    }
  };
};
