import type { Client } from 'pg';
import type { Head } from './heads.ts';
import type { Stored } from './record.ts';

/** All bytes are sent as one parameter: an array of bytea would be hex text, twice as long and slow to encode. */
const insertGroup = `
with written as (
  insert into eventstore.events (position, stream, revision, event_id, type, is_json, data, metadata, created)
  select position, stream, revision, id, type, is_json,
         substring($7::bytea from start for data_length),
         substring($7::bytea from start + data_length for metadata_length), created
  from unnest($1::bigint[], $2::text[], $3::bigint[], $4::uuid[], $5::text[], $6::boolean[],
              $8::int[], $9::int[], $10::int[], $11::bigint[])
    as event(position, stream, revision, id, type, is_json, start, data_length, metadata_length, created)
)
insert into eventstore.streams (name, last_revision, metadata_revision, metadata, tombstoned)
select * from unnest($12::text[], $13::bigint[], $14::bigint[], $15::text[], $16::boolean[])
on conflict (name) do update set last_revision = excluded.last_revision,
  metadata_revision = excluded.metadata_revision, metadata = excluded.metadata, tombstoned = excluded.tombstoned`;

/** Writes a whole group in one statement, so with one transaction and one fsync. */
export const writeGroup = async (
  client: Pick<Client, 'query'>,
  events: readonly Stored[],
  heads: ReadonlyMap<string, Head>,
): Promise<void> => {
  await client.query({
    name: 'insert-group',
    text: insertGroup,
    values: [...eventColumns(events), ...headColumns([...heads])],
  });
};

const eventColumns = (events: readonly Stored[]): unknown[] => {
  const starts: number[] = [];
  let next = 1;
  for (const { data, metadata } of events) {
    starts.push(next);
    next += data.length + metadata.length;
  }
  return [
    events.map(({ position }) => position),
    events.map(({ stream }) => stream),
    events.map(({ revision }) => revision),
    events.map(({ id }) => id),
    events.map(({ type }) => type),
    events.map(({ isJson }) => isJson),
    Buffer.concat(events.flatMap(({ data, metadata }) => [data, metadata])),
    starts,
    events.map(({ data }) => data.length),
    events.map(({ metadata }) => metadata.length),
    events.map(({ created }) => created),
  ];
};

const headColumns = (heads: readonly (readonly [string, Head])[]): unknown[] => [
  heads.map(([name]) => name),
  heads.map(([, { last }]) => last),
  heads.map(([, { metadataLast }]) => metadataLast),
  heads.map(([, { metadata }]) => metadata),
  heads.map(([, { tombstoned }]) => tombstoned),
];
