import type { Tx } from '../../follow/projection.ts';
import { namesOf, rowsFrom, valuesOf, type Column } from './columns.ts';
import type { BlockChange, ListRow, NameOfList } from './rows.ts';

/** Writes the folded counts of the lists and of their blocks. No block changes without its list. */
export const writeCounts = async (
  tx: Tx,
  { lists, blocks }: { readonly lists: readonly ListRow[]; readonly blocks: readonly BlockChange[] },
): Promise<void> => {
  if (lists.length === 0) return;
  const values = [...valuesOf(listColumns, lists), ...valuesOf(blockColumns, blocks)];
  await tx.query({ name: 'put-counts', text: putCounts, values });
};

const keyColumns: readonly Column<NameOfList>[] = [
  { name: 'list', type: 'text', of: ({ list }) => list },
  { name: 'organization_id', type: 'text', of: ({ organizationId }) => organizationId },
  { name: 'user_id', type: 'text', of: ({ userId }) => userId },
];
const listColumns: readonly Column<ListRow>[] = [
  ...keyColumns,
  { name: 'total', type: 'bigint', of: ({ total }) => total },
  { name: 'next_ordinal', type: 'bigint', of: ({ nextOrdinal }) => nextOrdinal },
  { name: 'changed', type: 'bigint', of: ({ changed }) => changed },
];
const blockColumns: readonly Column<BlockChange>[] = [
  ...keyColumns,
  { name: 'level', type: 'bigint', of: ({ level }) => level },
  { name: 'block', type: 'bigint', of: ({ block }) => block },
  { name: 'records', type: 'bigint', of: ({ records }) => records },
];

const isTheSame = (block: string): string =>
  ['list', 'organization_id', 'user_id', 'level', 'block']
    .map((column) => `${block}.${column} = change.${column}`)
    .join(' and ');

/**
 * The parts see the tables as they were before the statement, and no two of them touch the same row. The blocks are not
 * an upsert: the check constraint would judge the proposed row, which is a difference and may be negative.
 */
const putCounts = `
  with put as (
    insert into lists (${namesOf(listColumns)}) select * from ${rowsFrom(listColumns)} as put
    on conflict (list, organization_id, user_id) do update set
      total = excluded.total, next_ordinal = excluded.next_ordinal, changed = excluded.changed),
  change as materialized (
    select list, organization_id, user_id, level::smallint, block, records::int
    from ${rowsFrom(blockColumns, listColumns.length + 1)} as change (${namesOf(blockColumns)})),
  emptied as (
    delete from list_blocks as known using change
    where ${isTheSame('known')} and known.records + change.records = 0),
  counted as (
    update list_blocks as known set records = known.records + change.records from change
    where ${isTheSame('known')} and known.records + change.records <> 0)
  insert into list_blocks (${namesOf(blockColumns)}) select * from change
  where not exists (select from list_blocks as known where ${isTheSame('known')})`;
