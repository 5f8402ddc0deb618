import { eachRecord } from '../../../domain/records/each-record.ts';
import type { Tx } from '../../follow/projection.ts';
import { namesOf, rowsFrom, valuesOf, type Column } from './columns.ts';
import type { FullRow, RecordChanges } from './fold.ts';
import type { ListName } from './operations.ts';
import type { RecordRow } from './rows.ts';

/** Writes the folded changes: one statement per table and kind of change, if any. */
export const writeRecords = async (
  tx: Tx,
  { added, changed, moved, removed }: RecordChanges,
): Promise<void> => {
  for (const [list, rows] of byList(removed)) await run(tx, statements[list].remove, keyColumns, rows);
  for (const [list, rows] of byList(moved)) await run(tx, statements[list].move, movedColumns, rows);
  for (const [list, rows] of byList(changed)) await run(tx, statements[list].change, columnsOf(list), rows);
  for (const [list, rows] of byList(added)) await run(tx, statements[list].add, columnsOf(list), rows);
};

type Statement = { readonly name: string; readonly text: string };

const run = async <Row>(
  tx: Tx,
  statement: Statement,
  columns: readonly Column<Row>[],
  rows: readonly Row[],
): Promise<void> => {
  await tx.query({ ...statement, values: valuesOf(columns, rows) });
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

const keyColumns: readonly Column<RecordRow>[] = [
  { name: 'organization_id', type: 'text', of: ({ organizationId }) => organizationId },
  { name: 'id', type: 'text', of: ({ id }) => id },
];
const placeOfUser: readonly Column<RecordRow>[] = [
  { name: 'user_id', type: 'text', of: ({ ofUser }) => ofUser?.userId ?? null },
  { name: 'user_ordinal', type: 'bigint', of: ({ ofUser }) => ofUser?.ordinal ?? null },
  { name: 'user_entered', type: 'bigint', of: ({ ofUser }) => ofUser?.entered ?? null },
];
const profileColumn: Column<RecordRow> = {
  name: 'profile_id',
  type: 'text',
  of: ({ profileId }) => profileId,
};
const restOfRow: readonly Column<FullRow>[] = [
  { name: 'ordinal', type: 'bigint', of: ({ place }) => place.ordinal },
  { name: 'entered', type: 'bigint', of: ({ place }) => place.entered },
  { name: 'created_at', type: 'text', of: ({ createdAt }) => createdAt },
  { name: 'revision', type: 'bigint', of: ({ content }) => content.revision },
  { name: 'changed', type: 'bigint', of: ({ content }) => content.changed },
  { name: 'item', type: 'json', of: ({ content }) => content.item },
];

const movedColumns = [...keyColumns, ...placeOfUser];
const columnsOfProfiles = [...movedColumns, ...restOfRow];
const columnsOfOthers = [...movedColumns, profileColumn, ...restOfRow];
const columnsOf = (list: ListName) => (list === 'profiles' ? columnsOfProfiles : columnsOfOthers);

const remove = (list: ListName): string => `
  delete from ${list} as record using ${rowsFrom(keyColumns)} as removed (organization_id, id)
  where record.organization_id = removed.organization_id and record.id = removed.id`;

const update = <Row>(list: ListName, columns: readonly Column<Row>[]): string => {
  const assignments = columns.slice(keyColumns.length).map(({ name }) => `${name} = changed.${name}`);
  return `
    update ${list} as record set ${assignments.join(', ')}
    from ${rowsFrom(columns)} as changed (${namesOf(columns)})
    where record.organization_id = changed.organization_id and record.id = changed.id`;
};

const add = (list: ListName): string =>
  `insert into ${list} (${namesOf(columnsOf(list))}) select * from ${rowsFrom(columnsOf(list))} as added`;

const statementsOf = (list: ListName) => ({
  remove: { name: `remove-${list}`, text: remove(list) },
  move: { name: `move-${list}`, text: update(list, movedColumns) },
  change: { name: `change-${list}`, text: update(list, columnsOf(list)) },
  add: { name: `add-${list}`, text: add(list) },
});

const statements = eachRecord('table', ({ table }) => statementsOf(table));
