import type { Pool, PoolClient } from 'pg';
import type { Head } from './heads.ts';
import type { Stored } from './record.ts';
import { endOfTime } from './record.ts';
import { parseLimits } from './stream-metadata.ts';

const columns = 'position, stream, revision, event_id, type, is_json, data, metadata, created';
type Row = [string, string, string, string, string, boolean, Buffer, Buffer, string];

const toStored = (row: Row): Stored => ({
  position: BigInt(row[0]),
  stream: row[1],
  revision: BigInt(row[2]),
  id: row[3],
  type: row[4],
  isJson: row[5],
  data: row[6],
  metadata: row[7],
  created: BigInt(row[8]),
});

type Queryable = Pick<PoolClient, 'query'>;

const rows = async (on: Queryable, name: string, text: string, values: unknown[]): Promise<Stored[]> => {
  const found = await on.query<Row>({ name, text, values, rowMode: 'array' });
  return found.rows.map(toStored);
};

/** The readable part of a stream. */
export type Window = {
  readonly stream: string;
  readonly from: bigint;
  readonly to: bigint;
  /** In ticks; older events are hidden by `$maxAge`. */
  readonly since: bigint;
  readonly limit: number;
};

/** The location of an event in a stream. */
export type Place = { readonly stream: string; readonly revision: bigint };
export type Known = Place & { readonly id: string; readonly position: bigint };

/** Queries of the log. Every statement is prepared once per connection. */
export type Log = {
  forwards(window: Window): Promise<Stored[]>;
  backwards(window: Window): Promise<Stored[]>;
  /** Events strictly after (or strictly before) a position of `$all`. */
  after(position: bigint, limit: number): Promise<Stored[]>;
  before(position: bigint, limit: number): Promise<Stored[]>;
  at(places: readonly Place[]): Promise<Stored[]>;
  heads(names: readonly string[]): Promise<ReadonlyMap<string, Head>>;
  /** The first event of each (stream, id) pair that the log holds. */
  known(pairs: readonly { stream: string; id: string }[]): Promise<Known[]>;
  /** The events at revisions `from`…`to` of each stream. */
  ranges(wanted: readonly { stream: string; from: bigint; to: bigint }[]): Promise<Known[]>;
  end(): Promise<{ position: bigint; created: bigint }>;
};

const streamSql = (order: 'asc' | 'desc'): string =>
  `select ${columns} from eventstore.events where stream = $1 and revision between $2 and $3 and created >= $4
   order by revision ${order} limit $5`;

const windowValues = ({ stream, from, to, since, limit }: Window): unknown[] => [
  stream,
  from,
  to > endOfTime ? endOfTime : to,
  since,
  limit,
];

export const makeLog = (pool: Pool): Log => ({
  forwards: (window) => rows(pool, 'forwards', streamSql('asc'), windowValues(window)),
  backwards: (window) => rows(pool, 'backwards', streamSql('desc'), windowValues(window)),
  after: (position, limit) =>
    rows(
      pool,
      'after',
      `select ${columns} from eventstore.events where position > $1 order by position limit $2`,
      [position > endOfTime ? endOfTime : position, limit],
    ),
  before: (position, limit) =>
    rows(
      pool,
      'before',
      `select ${columns} from eventstore.events where position < $1 order by position desc limit $2`,
      [position > endOfTime ? endOfTime : position, limit],
    ),
  at: (places) =>
    rows(
      pool,
      'at',
      `select ${columns} from eventstore.events where (stream, revision) in
       (select * from unnest($1::text[], $2::bigint[]))`,
      [places.map(({ stream }) => stream), places.map(({ revision }) => revision)],
    ),
  heads: (names) => readHeads(pool, names),
  known: (pairs) => readKnown(pool, pairs),
  ranges: (wanted) => readRanges(pool, wanted),
  end: async () => {
    const found = await pool.query<{ position: string; created: string }>(
      `select coalesce(max(position), 0) as position, coalesce(max(created), 0) as created from
       (select position, created from eventstore.events order by position desc limit 1) newest`,
    );
    return { position: BigInt(found.rows[0]?.position ?? 0), created: BigInt(found.rows[0]?.created ?? 0) };
  },
});

type HeadRow = [string, string, string, string | null, boolean];

const readHeads = async (on: Queryable, names: readonly string[]): Promise<ReadonlyMap<string, Head>> => {
  const found = await on.query<HeadRow>({
    name: 'heads',
    text: `select name, last_revision, metadata_revision, metadata, tombstoned from eventstore.streams
           where name = any($1::text[])`,
    values: [names],
    rowMode: 'array',
  });
  return new Map(
    found.rows.map(([name, last, metadataLast, metadata, tombstoned]) => [
      name,
      {
        last: BigInt(last),
        metadataLast: BigInt(metadataLast),
        metadata,
        limits: parseLimits(metadata),
        tombstoned,
      },
    ]),
  );
};

type KnownRow = [string, string, string, string];
const toKnown = ([stream, id, revision, position]: KnownRow): Known => ({
  stream,
  id,
  revision: BigInt(revision),
  position: BigInt(position),
});

const readKnown = async (
  on: Queryable,
  pairs: readonly { stream: string; id: string }[],
): Promise<Known[]> => {
  const found = await on.query<KnownRow>({
    name: 'known',
    text: `select distinct on (e.stream, e.event_id) e.stream, e.event_id, e.revision, e.position
           from unnest($1::text[], $2::uuid[]) as wanted(stream, id)
           join eventstore.events e on e.stream = wanted.stream and e.event_id = wanted.id
           order by e.stream, e.event_id, e.revision`,
    values: [pairs.map(({ stream }) => stream), pairs.map(({ id }) => id)],
    rowMode: 'array',
  });
  return found.rows.map(toKnown);
};

const readRanges = async (
  on: Queryable,
  wanted: readonly { stream: string; from: bigint; to: bigint }[],
): Promise<Known[]> => {
  const found = await on.query<KnownRow>({
    name: 'ranges',
    text: `select e.stream, e.event_id, e.revision, e.position
           from unnest($1::text[], $2::bigint[], $3::bigint[]) as wanted(stream, low, high)
           join eventstore.events e on e.stream = wanted.stream and e.revision between wanted.low and wanted.high`,
    values: [wanted.map(({ stream }) => stream), wanted.map(({ from }) => from), wanted.map(({ to }) => to)],
    rowMode: 'array',
  });
  return found.rows.map(toKnown);
};
