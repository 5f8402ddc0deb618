import type { Pool } from 'pg';
import { LRUCache } from 'lru-cache';
import { writeSide } from '../../domain/log/parked-event.ts';
import type { EventReference } from '../../eventstore/event-store.ts';
import { park, type ToPark } from './park.ts';
import type { Logger } from '../database/pipelined-reader.ts';

type Dependencies = {
  readonly pool: Pick<Pool, 'query'>;
  readonly inBackground: (work: Promise<unknown>) => void;
  readonly logger: Logger;
};

/** How many events are remembered as reported. */
const mostReported = 10_000;

/** Parks events that the write side cannot decode, once a process, in the background: no read model may read them. */
export const makeNoteUnreadable = ({ pool, inBackground, logger }: Dependencies) => {
  const reported = new LRUCache<string, true>({ max: mostReported });
  return (event: EventReference, problem: string): void => {
    if (reported.has(event.id)) return;
    reported.set(event.id, true);
    logger.error(
      { event: { ...event, position: undefined, revision: String(event.revision) }, problem, alarm: true },
      `nothing can be decided on ${event.stream}: ${event.type} ${event.id} cannot be decoded (grantbook parked list)`,
    );
    const parked: ToPark = { projection: writeSide, event, content: null, error: problem, closes: null };
    const writing = park(pool, writeSide, [parked]);
    writing.catch(() => reported.delete(event.id));
    inBackground(writing);
  };
};
