import type { RecordedEvent } from '../../../eventstore/event-store.ts';
import { defineProjection, type Handlers, type Projection, type Tx } from '../../follow/projection.ts';
import { namesOf, rowsFrom, valuesOf, type Column } from './columns.ts';
import { makeCounting, usualFanOut, type CountingChanges } from './counting.ts';
import { eraseProfiles, withoutErased, type ErasedProfile } from './erase-profiles.ts';
import { makeRecordFold, type RecordFold } from './fold.ts';
import { loadDependents, loadLists, loadNextDependents, loadTouched } from './load.ts';
import { operationHandlers, profilesLists, type Operation, type ListName } from './operations.ts';
import {
  profileKey,
  type BlockChange,
  type Entered,
  type ListRow,
  type NameOfList,
  type RecordRow,
  type Removal,
} from './rows.ts';
import { transfersIn, type Transfers } from './transfers.ts';
import { writeRecords } from './write-records.ts';

type Changes = {
  readonly operations: Operation[];
  readonly erased: ErasedProfile[];
  /** When the log stored the end of its copy from another one. */
  readonly copied: number[];
};

/** The handlers of the records, which add to the batch's operations. */
const toOperations = Object.fromEntries(
  Object.entries(operationHandlers).map(([type, handle]) => [
    type,
    ({ operations }: Changes, data: never, event: RecordedEvent) => handle(operations, data, event),
  ]),
) as Handlers<Changes>;

export type ListsOptions = {
  /** Ordinals in a block of level 0; the table's blocks have the usual size. */
  readonly fanOut?: number;
  /** How many records that move with their profiles are in memory at a time, and are written by one statement. */
  readonly mostMoves?: number;
};

/** One projection: a record's user depends on the profiles up to there. A batch is folded in memory, as if event by event. */
export const defineLists = ({ fanOut = usualFanOut, mostMoves = 5_000 }: ListsOptions = {}): Projection =>
  defineProjection<Changes>({
    name: 'lists',
    keepsOrder: true,
    empty: () => ({ operations: [], erased: [], copied: [] }),
    on: {
      ...toOperations,
      ProfileErased: ({ erased }, { organizationId, id }, event) => {
        erased.push({ organizationId, id, position: event.position.commit });
      },
      LogCopied: ({ copied }, _data, event) => void copied.push(event.created),
    },
    write: async (tx, { operations, erased, copied }) => {
      await writeAll({ tx, fanOut, mostMoves }, await withoutErased(tx, operations));
      // After all others of the batch, so that nothing restores an erased person.
      await eraseProfiles(tx, erased);
      if (copied.length > 0) await tx.query(noteCopy, [Math.max(...copied)]);
    },
  });

/** Positions in tokens from before mean nothing here. */
const noteCopy = 'update list_changes_from set copied_at = greatest(copied_at, $1)';

export const lists = defineLists();

type Shell = { readonly tx: Tx } & Required<ListsOptions>;

/** A batch that moves too many records is halved, down to an event written in chunks: memory is bounded. */
const writeAll = async (shell: Shell, operations: readonly Operation[]): Promise<void> => {
  const [first] = operations;
  if (!first) return;
  const touched = await loadTouched(shell.tx, operations);
  const transfers = transfersIn(operations, touched);
  const dependents = await loadMoving(shell, transfers);
  if (dependents !== null) {
    await writeFolded(shell, operations, [...touched, ...dependents], (fold) => {
      for (const operation of operations) fold.apply(operation);
    });
  } else if (operations.length > 1) {
    const middle = Math.ceil(operations.length / 2);
    await writeAll(shell, operations.slice(0, middle));
    await writeAll(shell, operations.slice(middle));
  } else await writeTransfer(shell, first, touched);
};

/** The records of the profiles whose users change; null when these are too many moves. */
const loadMoving = async (
  { tx, mostMoves }: Shell,
  transfers: Transfers,
): Promise<readonly RecordRow[] | null> => {
  if (transfers.size === 0) return [];
  const profiles = [...transfers.values()].map(({ profile }) => profile);
  const rows = await loadDependents(tx, profiles, mostMoves);
  const moves = rows.map(
    ({ organizationId, profileId }) => transfers.get(profileKey(organizationId, profileId ?? ''))?.times ?? 0,
  );
  return moves.reduce((sum, times) => sum + times, 0) > mostMoves ? null : rows;
};

/** One profile whose user changes, with all its records, chunk by chunk. */
const writeTransfer = async (
  shell: Shell,
  operation: Operation,
  touched: readonly RecordRow[],
): Promise<void> => {
  await writeFolded(shell, [operation], touched, (fold) => fold.apply(operation));
  const userId = operation.content?.owner ?? null;
  for (const list of profilesLists) {
    let after: number | undefined = -1;
    while (after !== undefined) {
      const from: { readonly after: number; readonly limit: number } = { after, limit: shell.mostMoves };
      const rows: readonly RecordRow[] = await loadNextDependents(shell.tx, list, operation, from);
      await writeFolded(shell, [operation], rows, (fold) => {
        for (const row of rows) fold.move(row, userId, operation);
      });
      after = rows.at(-1)?.place.ordinal;
    }
  }
};

/** Folds in memory, from the stored rows `before` and from every list that can change. */
const writeFolded = async (
  { tx, fanOut }: Shell,
  operations: readonly Operation[],
  before: readonly RecordRow[],
  run: (fold: RecordFold) => void,
): Promise<void> => {
  const counting = makeCounting(await loadLists(tx, possibleLists(operations, before)), fanOut);
  const fold = makeRecordFold(before, counting);
  run(fold);
  await writeRecords(tx, fold.changes());
  await writeCounts(tx, counting.changes());
};

/** The lists that these operations can change, and perhaps more: per organization those of all its users. */
const possibleLists = (
  operations: readonly Operation[],
  rows: readonly RecordRow[],
): readonly NameOfList[] => {
  const organizations = new Map<string, { readonly lists: Set<ListName>; readonly users: Set<string> }>();
  const of = (organizationId: string) => {
    const known = organizations.get(organizationId) ?? { lists: new Set(), users: new Set(['']) };
    organizations.set(organizationId, known);
    return known;
  };
  for (const { list, organizationId, content } of operations) {
    const { lists, users } = of(organizationId);
    lists.add(list);
    const owner = content?.owner ?? null;
    if (list === 'profiles' && owner !== null) users.add(owner);
  }
  for (const { list, organizationId, ofUser } of rows) {
    const { lists, users } = of(organizationId);
    if (list !== 'profiles') lists.add(list); // a profile that is only named does not change
    if (ofUser) users.add(ofUser.userId);
  }
  return [...organizations].flatMap(([organizationId, { lists, users }]) =>
    [...lists].flatMap((list) => [...users].map((userId) => ({ list, organizationId, userId }))),
  );
};

/** Writes the folded counts of the lists and of their blocks, and who entered and left. Nothing else changes without its list. */
const writeCounts = async (tx: Tx, { lists, blocks, removals, entered }: CountingChanges): Promise<void> => {
  if (lists.length === 0) return;
  const values = [
    ...valuesOf(listColumns, lists),
    ...valuesOf(blockColumns, blocks),
    ...valuesOf(removalColumns, removals),
    ...valuesOf(enteredColumns, entered),
  ];
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

const enteredColumns: readonly Column<Entered>[] = [
  ...keyColumns,
  { name: 'id', type: 'text', of: ({ id }) => id },
];
const removalColumns: readonly Column<Removal>[] = [
  ...enteredColumns,
  { name: 'ordinal', type: 'bigint', of: ({ ordinal }) => ordinal },
  { name: 'entered', type: 'bigint', of: ({ entered }) => entered },
  { name: 'removed', type: 'bigint', of: ({ removed }) => removed },
  { name: 'removed_at', type: 'bigint', of: ({ removedAt }) => removedAt },
  { name: 'again', type: 'text', of: ({ again }) => String(again) },
];
const firstOfRemovals = listColumns.length + blockColumns.length + 1;
const firstOfEntered = firstOfRemovals + removalColumns.length;

const isTheSame = (block: string): string =>
  ['list', 'organization_id', 'user_id', 'level', 'block']
    .map((column) => `${block}.${column} = change.${column}`)
    .join(' and ');

/** The parts see the tables as before; no two touch a row. No upsert of blocks: the constraint would judge a difference. */
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
    where ${isTheSame('known')} and known.records + change.records <> 0),
  came_again as (
    update list_removals as gone set again = true
    from ${rowsFrom(enteredColumns, firstOfEntered)} as came (${namesOf(enteredColumns)})
    where gone.list = came.list and gone.organization_id = came.organization_id and gone.user_id = came.user_id
      and gone.id = came.id and not gone.again),
  went as (
    insert into list_removals (${namesOf(removalColumns)})
    select list, organization_id, user_id, id, ordinal, entered, removed, removed_at, again::boolean
    from ${rowsFrom(removalColumns, firstOfRemovals)} as went (${namesOf(removalColumns)}))
  insert into list_blocks (${namesOf(blockColumns)}) select * from change
  where not exists (select from list_blocks as known where ${isTheSame('known')})`;
