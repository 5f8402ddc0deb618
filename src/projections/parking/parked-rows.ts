import { statement } from '../../common/transaction.ts';
import type { Tx } from '../follow/projection.ts';

export type ParkedKey = {
  readonly checkpoint: string;
  readonly projection: string;
  readonly stream: string;
};

export type ParkedEvent = ParkedKey & {
  readonly revision: bigint;
  readonly eventId: string;
  readonly type: string;
  readonly position: { readonly commit: bigint; readonly prepare: bigint };
  /** Null: it waits for earlier events of its key. */
  readonly error: string | null;
  /** What is closed as long as it is parked: a subject of the fence, such as `activation:<organization>.<addon>`. */
  readonly closes: string | null;
  /** Milliseconds since the Unix epoch. */
  readonly parkedAt: number;
};

/** The first event of a key is the one that cannot be applied. */
export type ParkedKeyState = { readonly first: ParkedEvent; readonly events: number };

type Row = {
  readonly checkpoint: string;
  readonly projection: string;
  readonly stream: string;
  readonly revision: string;
  readonly event_id: string;
  readonly type: string;
  readonly commit_position: string;
  readonly prepare_position: string;
  readonly error: string | null;
  readonly closes: string | null;
  readonly parked_at: Date;
};

export const toParkedEvent = (row: Row): ParkedEvent => ({
  checkpoint: row.checkpoint,
  projection: row.projection,
  stream: row.stream,
  revision: BigInt(row.revision),
  eventId: row.event_id,
  type: row.type,
  position: { commit: BigInt(row.commit_position), prepare: BigInt(row.prepare_position) },
  error: row.error,
  closes: row.closes,
  parkedAt: row.parked_at.getTime(),
});

const columns = `checkpoint, projection, stream, revision, event_id, type, commit_position, prepare_position, error, closes, parked_at`;

export const readParkedKeys = async (tx: Tx, most: number): Promise<readonly ParkedKeyState[]> => {
  const { rows } = await tx.query<Row & { readonly events: string }>(
    `select ${columns}, events
     from (select distinct on (checkpoint, projection, stream) ${columns},
                  count(*) over (partition by checkpoint, projection, stream) as events
           from parked_events order by checkpoint, projection, stream, revision) as key
     order by parked_at, commit_position, projection limit $1`,
    [most],
  );
  return rows.map((row) => ({ first: toParkedEvent(row), events: Number(row.events) }));
};

/** In every place where the event is parked. */
export const readParkedEvents = async (tx: Tx, eventId: string): Promise<readonly ParkedEvent[]> => {
  const { rows } = await tx.query<Row>(
    `select ${columns} from parked_events where event_id = $1 order by checkpoint, projection`,
    [eventId],
  );
  return rows.map(toParkedEvent);
};

export const readFirstOf = async (
  tx: Tx,
  { checkpoint, projection, stream }: ParkedKey,
  most: number,
): Promise<readonly ParkedEvent[]> => {
  const { rows } = await tx.query<Row>(
    `select ${columns} from parked_events where checkpoint = $1 and projection = $2 and stream = $3
     order by revision limit $4`,
    [checkpoint, projection, stream, most],
  );
  return rows.map(toParkedEvent);
};

export type ParkedCount = {
  readonly checkpoint: string;
  readonly projection: string;
  readonly keys: number;
  readonly events: number;
};

export const countParked = statement('count-parked')`
  select checkpoint, projection, count(distinct stream)::int as keys, count(*)::int as events
  from parked_events group by checkpoint, projection order by 1, 2`;

export const keysIn = (counts: readonly Pick<ParkedCount, 'keys'>[]): number =>
  counts.reduce((sum, { keys }) => sum + keys, 0);
