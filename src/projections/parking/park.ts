import type { FenceSubject } from '../../domain/fence/fence.ts';
import type { EventReference, RecordedEvent } from '../../eventstore/event-store.ts';
import { recordOf } from '../lists/write/record-of.ts';
import { liveReadModels } from '../follow/checkpoint.ts';
import { columnsOf, type Tx } from '../follow/projection.ts';
import type { Pool } from 'pg';
import { LRUCache } from 'lru-cache';
import { growing } from '../../common/growing.ts';
import { writeSide } from '../../domain/log/parked-event.ts';
import type { Logger } from '../database/pipelined-reader.ts';

export type ToPark = {
  readonly projection: string;
  readonly event: EventReference;
  /** Null when it cannot be decoded. */
  readonly content: RecordedEvent | null;
  /** Null: it waits for earlier events of its key. */
  readonly error: string | null;
  /** The subject that is closed as long as it is parked. */
  readonly closes: FenceSubject | null;
};

export const referenceOf = ({ id, stream, revision, position, event }: RecordedEvent): EventReference => ({
  id,
  stream,
  revision,
  position,
  type: event.type,
});

/** Runs in the transaction that moves the checkpoint past them. */
export const park = async (tx: Tx, checkpoint: string, parked: readonly ToPark[]): Promise<void> => {
  if (parked.length === 0) return;
  const rows = parked.map(({ projection, event, content, error, closes }) => ({
    projection,
    ...event,
    commit: event.position.commit,
    prepare: event.position.prepare,
    error,
    // A version that is built next to the live one closes nothing: the live projector meets the event, too.
    closes: checkpoint === liveReadModels ? closes : null,
    ...(projection === 'lists' ? recordOf(event.stream, content) : nothing),
  }));
  await tx.query({
    name: 'park-events',
    text: insertParked,
    values: [checkpoint, ...columnsOf(rows, columns)],
  });
};

const nothing = { list: null, organizationId: null, recordId: null, profileId: null, userId: null };

const columns = [
  'projection',
  'stream',
  'revision',
  'id',
  'type',
  'commit',
  'prepare',
  'error',
  'list',
  'organizationId',
  'recordId',
  'profileId',
  'userId',
  'closes',
] as const;

/** A group that starts again meets events that are already in the table. */
const insertParked = `
  insert into parked_events (checkpoint, projection, stream, revision, event_id, type, commit_position, prepare_position, error,
                             list, organization_id, record_id, profile_id, user_id, closes)
  select $1, * from unnest($2::text[], $3::text[], $4::bigint[], $5::uuid[], $6::text[], $7::numeric[], $8::numeric[], $9::text[],
                           $10::text[], $11::text[], $12::text[], $13::text[], $14::text[], $15::text[])
  on conflict do nothing`;

type Dependencies = {
  readonly pool: Pick<Pool, 'query'>;
  readonly inBackground: (work: Promise<unknown>) => void;
  readonly logger: Logger;
};

/** How many events are remembered as reported. */
const mostReported = 10_000;

/** Parks events that the write side cannot decode, once a process, in the background: no read model may read them. */
export const makeNoteUnreadable = ({ pool, inBackground, logger }: Dependencies) => {
  const reported = new LRUCache<string, true>(growing(mostReported));
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
