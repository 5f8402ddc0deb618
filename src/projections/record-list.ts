import type { EventType } from '../domain/events.ts';
import type { RecordedEvent } from '../eventstore/event-store.ts';
import { defineProjection, type Handlers, type Projection, type Tx } from './projection.ts';

/** One of the three lists: its table is called as the list is. */
export type RecordList<T extends object> = {
  readonly list: 'profiles' | 'reservations' | 'access_rights';
  readonly recorded: EventType;
  readonly removed: EventType;
  /** What decides whose record it is, in a column of its own. */
  readonly owner: { readonly column: 'user_id' | 'profile_id'; readonly of: (record: T) => string | null };
};

type Recorded<T> = T & {
  readonly organizationId: string;
  readonly id: string;
  readonly version: number;
  readonly at: number;
};

/** The record as the batch leaves it, and when it began as far as the batch knows. */
type Row = {
  readonly organizationId: string;
  readonly id: string;
  readonly created: bigint;
  readonly createdAt: string;
  readonly owner: string | null;
  readonly item: string;
};

/** `removed`: the row from before the batch goes, whether or not another begins. */
type Change = {
  readonly organizationId: string;
  readonly id: string;
  readonly removed: boolean;
  readonly row: Row | null;
};

type Changes = Map<string, Change>;

/**
 * The writer of a list. A record keeps the place of its first event for as long as it exists; one that was removed and
 * comes again begins anew. The organization's total changes with the rows, in the same statement.
 */
export const defineRecordProjection = <T extends object>(definition: RecordList<T>): Projection =>
  defineProjection<Changes>({
    name: definition.list,
    empty: () => new Map(),
    on: {
      [definition.recorded]: (changes: Changes, data: Recorded<T>, event: RecordedEvent) => {
        const { organizationId, id } = data;
        const before = changes.get(`${organizationId}.${id}`);
        const row = rowOf(definition, before?.row ?? null, data, event);
        changes.set(`${organizationId}.${id}`, {
          organizationId,
          id,
          removed: before?.removed ?? false,
          row,
        });
      },
      [definition.removed]: (changes: Changes, { organizationId, id }: Recorded<T>) => {
        changes.set(`${organizationId}.${id}`, { organizationId, id, removed: true, row: null });
      },
    } as Handlers<Changes>, // the two types are the record's own, by their names
    async write(tx, changes) {
      const all = [...changes.values()];
      const removed = all.filter((change) => change.removed);
      const rows = all.flatMap(({ row }) => (row ? [row] : []));
      if (removed.length > 0) await remove(tx, definition.list, removed);
      if (rows.length > 0) await put(tx, definition.list, definition.owner.column, rows);
    },
  });

const rowOf = <T extends object>(
  { owner }: RecordList<T>,
  before: Row | null,
  { organizationId, at: _decidedAt, ...record }: Recorded<T>,
  event: RecordedEvent,
): Row => {
  const storedAt = new Date(event.created).toISOString();
  return {
    organizationId,
    id: record.id,
    created: before?.created ?? event.position.commit,
    createdAt: before?.createdAt ?? storedAt,
    owner: owner.of(record as unknown as T),
    item: JSON.stringify({ ...record, updatedAt: storedAt }),
  };
};

const remove = async (tx: Tx, list: string, changes: readonly Change[]): Promise<void> => {
  const text = `
    with removed as (
      delete from ${list} using unnest($1::text[], $2::text[]) as key (organization_id, id)
      where ${list}.organization_id = key.organization_id and ${list}.id = key.id
      returning ${list}.organization_id)
    update list_totals set total = total - gone.count
    from (select organization_id, count(*) from removed group by organization_id) as gone
    where list = '${list}' and list_totals.organization_id = gone.organization_id`;
  const values = [changes.map(({ organizationId }) => organizationId), changes.map(({ id }) => id)];
  await tx.query({ name: `remove-${list}`, text, values });
};

/** The rows to count are those that the table, as it was before the statement, does not have. */
const put = async (tx: Tx, list: string, owner: string, rows: readonly Row[]): Promise<void> => {
  const text = `
    with put as (
      insert into ${list} (organization_id, id, created, created_at, ${owner}, item)
      select * from unnest($1::text[], $2::text[], $3::bigint[], $4::text[], $5::text[], $6::json[])
      on conflict (organization_id, id) do update set ${owner} = excluded.${owner}, item = excluded.item
      returning organization_id, id)
    insert into list_totals (list, organization_id, total)
    select '${list}', organization_id, count(*) from put
    where not exists (select from ${list} as old where old.organization_id = put.organization_id and old.id = put.id)
    group by organization_id
    on conflict (list, organization_id) do update set total = list_totals.total + excluded.total`;
  const values = [
    rows.map(({ organizationId }) => organizationId),
    rows.map(({ id }) => id),
    rows.map(({ created }) => created),
    rows.map(({ createdAt }) => createdAt),
    rows.map((row) => row.owner),
    rows.map(({ item }) => item),
  ];
  await tx.query({ name: `put-${list}`, text, values });
};
