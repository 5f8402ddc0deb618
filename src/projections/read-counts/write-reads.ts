import { newBatch, type Batch } from '../kernel/counts-in-batches.ts';
import type { CountedReads } from './count-reads.ts';
import { dayMs, hourMs } from './list-read.ts';
import type { Tx } from '../follow/projection.ts';

/** Adds a batch once, even if sent again, without networks of users erased meanwhile. `counter`: the process that counted. */
export const writeReads = async (
  tx: Tx,
  counter: string,
  { number, counted }: Batch<CountedReads>,
): Promise<void> => {
  const hour = counted[0]?.hour ?? 0;
  const slot = 4 * ((hour % dayMs) / hourMs);
  await tx.query({
    name: 'add-list-reads',
    text: add,
    values: [
      counter,
      number,
      hour - (hour % dayMs),
      slot,
      counted.map(({ grantId }) => grantId),
      counted.map(({ list }) => list),
      counted.map(({ userId }) => userId),
      counted.map(({ last }) => last),
      counted.map((one) => `[${slot}:${slot + 3}]={${numbersOf(one).join(',')}}`),
      counted.map(({ networks }) => `{${networks.join(',')}}`),
    ],
  });
};

const largest = 2 ** 31 - 1;

const numbersOf = ({ hour, pages, records, first, last }: CountedReads): readonly number[] => [
  Math.min(pages, largest),
  Math.min(records, largest),
  Math.floor((first - hour) / 1000),
  Math.floor((last - hour) / 1000),
];

const summed = (slot: string) =>
  `counts[${slot}] = least(${largest}, coalesce(kept.counts[${slot}], 0)::bigint + excluded.counts[${slot}])`;

/** In the order of the key, so that two instances never wait for each other. */
const add = `${newBatch}
  insert into list_reads as kept (grant_id, day, list, user_id, last_at, counts, networks, network_hours)
  select grant_id, $3, list, user_id, last_at, counts::integer[], networks,
         array_fill(1 << ($4::integer / 4), array[cardinality(networks)])
  from unnest($5::text[], $6::smallint[], $7::text[], $8::bigint[], $9::text[], $10::text[])
         as read (grant_id, list, user_id, last_at, counts, networks_text),
       lateral (select exists (select from subject_keys
                               where subject = 'account:' || user_id and erased_at is not null) as erased) as person,
       lateral (select case when erased then '{}' else networks_text::cidr[] end as networks) as place
  where exists (select from batch)
  order by grant_id, list
  on conflict (grant_id, day, list) do update set
    last_at = greatest(kept.last_at, excluded.last_at),
    ${summed('$4::integer')},
    ${summed('$4::integer + 1')},
    counts[$4::integer + 2] = least(kept.counts[$4::integer + 2], excluded.counts[$4::integer + 2]),
    counts[$4::integer + 3] = greatest(kept.counts[$4::integer + 3], excluded.counts[$4::integer + 3]),
    (networks, network_hours) = (
      select coalesce(array_agg(network order by network), '{}'), coalesce(array_agg(hours order by network), '{}')
      from (select network, bit_or(hours) as hours
            from (select unnest(kept.networks), unnest(kept.network_hours)
                  union all select unnest(excluded.networks), unnest(excluded.network_hours)) as each (network, hours)
            group by network) as merged
    )`;

/** Removes the networks of a user's grants: a home network. A concurrent write is awaited, a later one finds the erasure. */
export const eraseReadNetworks = async (tx: Tx, userIds: readonly string[]): Promise<void> => {
  await tx.query('lock table list_reads in share row exclusive mode');
  await tx.query({
    name: 'erase-read-networks',
    text: `update list_reads set networks = '{}', network_hours = '{}'
           where user_id = any($1) and networks <> '{}'`,
    values: [userIds],
  });
};
