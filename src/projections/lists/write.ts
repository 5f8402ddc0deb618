import { columnsOf, type Tx } from '../projection.ts';
import type { RecordChanges } from './fold.ts';
import type { Content, ListName } from './operations.ts';
import type { BlockChange, ListRow, RecordRow } from './rows.ts';

/** Writes what a fold came to: a statement a table and kind of change, and none where there is no change. */
export const writeChanges = async (
  tx: Tx,
  { added, changed, moved, removed }: RecordChanges,
  { lists, blocks }: { readonly lists: readonly ListRow[]; readonly blocks: readonly BlockChange[] },
): Promise<void> => {
  for (const [list, rows] of byList(removed))
    await run(tx, `remove-${list}`, remove(list), columnsOf(rows, ['organizationId', 'id']));
  for (const [list, rows] of byList(moved))
    await run(tx, `move-${list}`, move(list), columnsOf(rows.map(flat), movedColumns));
  for (const [list, rows] of byList(changed))
    await run(tx, `change-${list}`, change(list), columnsOf(rows.map(flat), columnsIn(list)));
  for (const [list, rows] of byList(added))
    await run(tx, `add-${list}`, add(list), columnsOf(rows.map(flat), columnsIn(list)));
  if (lists.length > 0) await run(tx, 'put-lists', putLists, columnsOf(lists, listColumns));
  if (blocks.length > 0) await run(tx, 'count-blocks', countBlocks, columnsOf(blocks, blockColumns));
};

const run = async (tx: Tx, name: string, text: string, values: readonly unknown[]): Promise<void> => {
  await tx.query({ name, text, values: [...values] });
};

const byList = <Row extends RecordRow>(rows: readonly Row[]): ReadonlyMap<ListName, readonly Row[]> => {
  const lists = new Map<ListName, Row[]>();
  for (const row of rows) {
    const others = lists.get(row.list);
    if (others) others.push(row);
    else lists.set(row.list, [row]);
  }
  return lists;
};

const movedColumns = ['organization_id', 'id', 'user_id', 'user_ordinal', 'user_entered'] as const;
const fullColumns = [...movedColumns, 'ordinal', 'entered', 'created_at', 'revision', 'item'] as const;
const columnsIn = (list: ListName) =>
  list === 'profiles' ? fullColumns : ([...fullColumns, 'profile_id'] as const);

/** As the tables have it; `item` and `revision` where there is an event of the record itself. */
const flat = (row: RecordRow & { readonly content?: Content }) => ({
  organization_id: row.organizationId,
  id: row.id,
  user_id: row.ofUser?.userId ?? null,
  user_ordinal: row.ofUser?.ordinal ?? null,
  user_entered: row.ofUser?.entered ?? null,
  ordinal: row.place.ordinal,
  entered: row.place.entered,
  created_at: row.createdAt,
  revision: row.content?.revision,
  item: row.content?.item,
  profile_id: row.profileId,
});

const remove = (list: ListName): string => `
  delete from ${list} as record using unnest($1::text[], $2::text[]) as key (organization_id, id)
  where record.organization_id = key.organization_id and record.id = key.id`;

const move = (list: ListName): string => `
  update ${list} as record
  set user_id = moved.user_id, user_ordinal = moved.user_ordinal, user_entered = moved.user_entered
  from unnest($1::text[], $2::text[], $3::text[], $4::bigint[], $5::bigint[])
    as moved (organization_id, id, user_id, user_ordinal, user_entered)
  where record.organization_id = moved.organization_id and record.id = moved.id`;

const fullRows = (list: ListName): string => `
  unnest($1::text[], $2::text[], $3::text[], $4::bigint[], $5::bigint[],
         $6::bigint[], $7::bigint[], $8::text[], $9::bigint[], $10::json[]${list === 'profiles' ? '' : ', $11::text[]'})`;

const change = (list: ListName): string => {
  const columns = columnsIn(list);
  return `
    update ${list} as record set ${columns
      .slice(2)
      .map((column) => `${column} = changed.${column}`)
      .join(', ')}
    from ${fullRows(list)} as changed (${columns.join(', ')})
    where record.organization_id = changed.organization_id and record.id = changed.id`;
};

const add = (list: ListName): string =>
  `insert into ${list} (${columnsIn(list).join(', ')}) select * from ${fullRows(list)}`;

const listColumns = ['list', 'organizationId', 'userId', 'total', 'nextOrdinal', 'changed'] as const;

const putLists = `
  insert into lists (list, organization_id, user_id, total, next_ordinal, changed)
  select * from unnest($1::text[], $2::text[], $3::text[], $4::bigint[], $5::bigint[], $6::bigint[])
  on conflict (list, organization_id, user_id) do update set
    total = excluded.total, next_ordinal = excluded.next_ordinal, changed = excluded.changed`;

const blockColumns = ['list', 'organizationId', 'userId', 'level', 'block', 'records'] as const;

/**
 * The three parts see the table as it was before the statement, and no two of them touch the same row. Not an upsert: the
 * check would judge the row that it proposes, which is a difference and may be below nought.
 */
const countBlocks = `
  with change as materialized (
    select * from unnest($1::text[], $2::text[], $3::text[], $4::smallint[], $5::bigint[], $6::int[])
      as change (list, organization_id, user_id, level, block, records)),
  emptied as (
    delete from list_blocks as counted using change
    where (counted.list, counted.organization_id, counted.user_id, counted.level, counted.block)
        = (change.list, change.organization_id, change.user_id, change.level, change.block)
      and counted.records + change.records = 0),
  counted as (
    update list_blocks as counted set records = counted.records + change.records from change
    where (counted.list, counted.organization_id, counted.user_id, counted.level, counted.block)
        = (change.list, change.organization_id, change.user_id, change.level, change.block)
      and counted.records + change.records <> 0)
  insert into list_blocks (list, organization_id, user_id, level, block, records)
  select * from change
  where not exists (
    select from list_blocks as known
    where (known.list, known.organization_id, known.user_id, known.level, known.block)
        = (change.list, change.organization_id, change.user_id, change.level, change.block))`;
