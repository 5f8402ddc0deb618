/**
 * The node's tables. Data stays bytes: what was appended comes back byte for byte. The index on (stream, event id)
 * makes idempotency durable. `streams` holds what deciding an append needs, so that it costs one row, not a scan.
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
 * What a scavenge of a real server takes away of tombstoned streams: everything but the tombstone, and their metadata. The memory of a node
 * that runs would still show it, so it is done before one begins.
 */
export const scavenge = `
delete from eventstore.events as event using eventstore.streams as stream
where stream.tombstoned and event.stream = any(array[stream.name, '$$' || stream.name])
  and event.revision < 9223372036854775807`;

/** Held by the writing connection: two nodes on one log would hand out the same positions. */
export const writerLock = 7_305_802_117;

/**
 * Statements are prepared once, often while the tables are empty: a plan made then would scan them for ever after.
 * Every statement has its index, so nothing else is to be considered.
 */
export const sessionOptions = [
  'plan_cache_mode=force_generic_plan',
  'enable_seqscan=off',
  'enable_hashjoin=off',
  'enable_mergejoin=off',
]
  .map((setting) => `-c ${setting}`)
  .join(' ');
