import type { EventType } from '../domain/events.ts';
import type { RecordedEvent } from '../eventstore/event-store.ts';
import { defineProjection, type Handlers, type Projection, type Tx } from './projection.ts';

/** One of the three lists: its table is called as the list is. */
export type RecordList<T extends object> = {
  readonly list: 'profiles' | 'reservations' | 'access_rights';
  readonly recorded: EventType;
  readonly removed: EventType;
  /** The column of each field, all of them text. */
  readonly columns: Readonly<Record<keyof T & string, string>>;
};

type Recorded<T> = T & { readonly organizationId: string; readonly id: string; readonly version: number };

/** The record as the batch leaves it, and when it began as far as the batch knows. */
type Row<T> = {
  readonly record: Recorded<T>;
  readonly created: bigint;
  readonly createdAt: number;
  readonly updatedAt: number;
};

/** `removed`: the row from before the batch goes, whether or not another begins. */
type Change<T> = {
  readonly organizationId: string;
  readonly id: string;
  readonly removed: boolean;
  readonly row: Row<T> | null;
};

type Changes<T> = Map<string, Change<T>>;

/**
 * The writer of a list. A record keeps the place of its first event for as long as it exists; one that was removed and
 * comes again begins anew. The organization's total changes with the rows, in the same statement.
 */
export const defineRecordProjection = <T extends object>(definition: RecordList<T>): Projection =>
  defineProjection<Changes<T>>({
    name: definition.list,
    empty: () => new Map(),
    on: {
      [definition.recorded]: (changes: Changes<T>, data: Recorded<T>, event: RecordedEvent) => {
        const key = `${data.organizationId}.${data.id}`;
        const before = changes.get(key);
        const { organizationId, id } = data;
        const row = rowOf(before?.row ?? null, data, event);
        changes.set(key, { organizationId, id, removed: before?.removed ?? false, row });
      },
      [definition.removed]: (changes: Changes<T>, { organizationId, id }: Recorded<T>) => {
        changes.set(`${organizationId}.${id}`, { organizationId, id, removed: true, row: null });
      },
    } as Handlers<Changes<T>>, // the two types are the record's own, by their names
    write: (tx, changes) => write(tx, definition, [...changes.values()]),
  });

const rowOf = <T>(before: Row<T> | null, record: Recorded<T>, event: RecordedEvent): Row<T> => ({
  record,
  created: before?.created ?? event.position.commit,
  createdAt: before?.createdAt ?? event.created,
  updatedAt: event.created,
});

const write = async <T extends object>(
  tx: Tx,
  { list, columns }: RecordList<T>,
  changes: readonly Change<T>[],
): Promise<void> => {
  const removed = changes.filter((change) => change.removed);
  const rows = changes.flatMap(({ row }) => (row ? [row] : []));
  if (removed.length > 0)
    await tx.query({
      name: `remove-${list}`,
      text: removeStatement(list),
      values: [removed.map(({ organizationId }) => organizationId), removed.map(({ id }) => id)],
    });
  if (rows.length > 0)
    await tx.query({
      name: `put-${list}`,
      text: putStatement(list, Object.values(columns)),
      values: columnsOfRows(rows, Object.keys(columns) as (keyof T)[]),
    });
};

const columnsOfRows = <T>(rows: readonly Row<T>[], fields: readonly (keyof T)[]): unknown[] => [
  rows.map(({ record }) => record.organizationId),
  rows.map(({ record }) => record.id),
  rows.map(({ record }) => record.version),
  rows.map(({ created }) => created),
  rows.map(({ createdAt }) => createdAt),
  rows.map(({ updatedAt }) => updatedAt),
  ...fields.map((field) => rows.map(({ record }) => record[field])),
];

const removeStatement = (list: string): string => `
  with removed as (
    delete from ${list} using unnest($1::text[], $2::text[]) as key (organization_id, id)
    where ${list}.organization_id = key.organization_id and ${list}.id = key.id
    returning ${list}.organization_id)
  update list_totals set total = total - gone.count
  from (select organization_id, count(*) from removed group by organization_id) as gone
  where list = '${list}' and list_totals.organization_id = gone.organization_id`;

/** The rows to count are those that the table, as it was before the statement, does not have. */
const putStatement = (list: string, columns: readonly string[]): string => `
  with put as (
    insert into ${list} (organization_id, id, version, created, created_at, updated_at, ${columns.join(', ')})
    select * from unnest($1::text[], $2::text[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bigint[],
                         ${columns.map((_, i) => `$${i + 7}::text[]`).join(', ')})
    on conflict (organization_id, id) do update set
      version = excluded.version, updated_at = excluded.updated_at,
      ${columns.map((column) => `${column} = excluded.${column}`).join(', ')}
    returning organization_id, id)
  insert into list_totals (list, organization_id, total)
  select '${list}', organization_id, count(*) from put
  where not exists (select from ${list} as old where old.organization_id = put.organization_id and old.id = put.id)
  group by organization_id
  on conflict (list, organization_id) do update set total = list_totals.total + excluded.total`;
