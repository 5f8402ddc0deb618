/**
 * The node's tables. Data is stored as bytes, so that reads return exactly what was appended. The index on (stream,
 * event id) makes idempotency durable. `streams` contains what deciding an append needs, so that it reads one row
 * instead of a scan.
 */
export const schema = `
create schema if not exists eventstore;
create table if not exists eventstore.events (
  position bigint primary key,
  stream text not null,
  revision bigint not null,
  event_id uuid not null,
  type text not null,
  is_json boolean not null,
  data bytea not null,
  metadata bytea not null,
  created bigint not null,
  unique (stream, revision)
);
create index if not exists events_by_id on eventstore.events (stream, event_id);
alter table eventstore.events alter column data set storage external;
create table if not exists eventstore.streams (
  name text primary key,
  last_revision bigint not null,
  metadata_revision bigint not null,
  metadata text,
  tombstoned boolean not null
);
create index if not exists streams_tombstoned on eventstore.streams (name) where tombstoned;
`;

/**
 * Removes what a scavenge of a real server removes of tombstoned streams: everything but the tombstone, including their
 * metadata. Runs before the node starts, because the cache of a running node would still return the events.
 */
export const scavenge = `
delete from eventstore.events as event using eventstore.streams as stream
where stream.tombstoned and event.stream = any(array[stream.name, '$$' || stream.name])
  and event.revision < 9223372036854775807`;

/** Held by the writing connection: two nodes on one log would assign the same positions. */
export const writerLock = 7_305_802_117;

/**
 * Statements are prepared once, often while the tables are empty: a plan made then would always scan them. Every
 * statement has its index, so scans are disabled.
 */
export const sessionOptions = [
  'plan_cache_mode=force_generic_plan',
  'enable_seqscan=off',
  'enable_hashjoin=off',
  'enable_mergejoin=off',
]
  .map((setting) => `-c ${setting}`)
  .join(' ');
