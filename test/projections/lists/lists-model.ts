import type { RecordedEvent } from '../../../src/eventstore/event-store.ts';
import { usualFanOut } from '../../../src/projections/lists/write/counting.ts';
import type { ListName } from '../../../src/projections/lists/write/operations.ts';

type Known = { readonly [field: string]: unknown } & {
  readonly list: ListName;
  readonly organizationId: string;
  readonly id: string;
  readonly owner: string | null;
};
type Member = { readonly ordinal: number; readonly entered: number };
type List = { next: number; changed: number; readonly members: Map<string, Member> };

/**
 * The lists as arrays would keep them. After each event it asks of every record where it belongs now, lets those leave that
 * belong elsewhere, and lets those enter that are new: in the order of their organization's list.
 */
export const makeListsModel = (fanOut = usualFanOut) => {
  const records = new Map<string, Known>();
  const lists = new Map<string, List>();
  const removals: { readonly row: string; readonly in: string; again: boolean }[] = [];

  const listsOf = (record: Known): readonly string[] => {
    const { list, organizationId, owner } = record;
    const userId =
      list === 'profiles' ? owner : (records.get(`profiles ${organizationId} ${owner}`)?.owner ?? null);
    return [
      `${list} ${organizationId} `,
      ...(userId === null ? [] : [`${list} ${organizationId} ${userId}`]),
    ];
  };
  const settle = (touched: string, position: number, at: number) => {
    const belongs = new Map([...records].map(([key, record]) => [key, new Set(listsOf(record))]));
    for (const [name, list] of lists)
      for (const [key, { ordinal, entered }] of list.members)
        if (!belongs.get(key)?.has(name)) {
          const id = key.split(' ')[2] ?? '';
          list.members.delete(key);
          list.changed = position;
          const row = `${name} ${id}@${ordinal}: ${entered} to ${position}, ${at}`;
          removals.push({ row, in: `${name} ${id}`, again: false });
        }
    const place = (key: string) =>
      lists.get(listsOf(records.get(key) as Known)[0] ?? '')?.members.get(key)?.ordinal;
    const inOrder = [...belongs].sort(([a], [b]) => (place(a) ?? Infinity) - (place(b) ?? Infinity));
    for (const [key, names] of inOrder)
      for (const name of names) {
        const list = lists.get(name) ?? { next: 0, changed: position, members: new Map<string, Member>() };
        lists.set(name, list);
        if (key === touched) list.changed = position;
        if (list.members.has(key)) continue;
        const id = key.split(' ')[2] ?? '';
        for (const removal of removals) if (removal.in === `${name} ${id}`) removal.again = true;
        list.members.set(key, { ordinal: list.next++, entered: position });
        list.changed = position;
      }
  };

  const blocksOf = (name: string, { next, members }: List) =>
    [fanOut, fanOut ** 2].flatMap((size, level) => {
      const blocks = new Map<number, number>();
      for (const { ordinal } of members.values()) {
        const block = Math.floor(ordinal / size);
        blocks.set(block, (blocks.get(block) ?? 0) + 1);
      }
      return next > size ? [...blocks].map(([block, count]) => `${name} ${level}/${block}: ${count}`) : [];
    });

  return {
    apply({ event, position, revision, created }: RecordedEvent) {
      const list = listOf(event.type);
      const data = event.data as { organizationId: string; id: string; userId?: string; profileId?: string };
      const { organizationId, id } = data;
      const key = `${list} ${organizationId} ${id}`;
      const at = new Date(created).toISOString();
      const { organizationId: _in, at: _at, ...item } = { at: 0, ...data };
      const createdAt = records.get(key)?.['createdAt'] ?? at;
      const owner = data.userId ?? data.profileId ?? null;
      const changed = Number(position.commit);
      const known = { list, organizationId, id, owner, createdAt, revision: Number(revision), changed };
      if (event.type.endsWith('Removed')) records.delete(key);
      else records.set(key, { ...known, item: { ...item, updatedAt: at } });
      settle(key, Number(position.commit), created);
    },
    /** As `dumpOf` shows what is in the tables. */
    dump: () => ({
      records: [...records]
        .map(([key, record]) => {
          const [ofOrganization, ofUser] = listsOf(record).map((name) => ({
            user: name.split(' ')[2],
            ...lists.get(name)?.members.get(key),
          }));
          const { list, organizationId, id, createdAt, revision, item, changed } = record;
          const { ordinal, entered } = ofOrganization ?? {};
          return {
            list,
            organizationId,
            id,
            createdAt,
            revision,
            item,
            changed,
            ordinal,
            entered,
            ofUser: ofUser ?? null,
          };
        })
        .sort(byText),
      lists: [...lists]
        .map(([name, { next, changed, members }]) => `${name}: ${members.size} of ${next}, ${changed}`)
        .sort(),
      blocks: [...lists].flatMap(([name, list]) => blocksOf(name, list)).sort(),
      removals: removals.map(({ row, again }) => `${row}, ${again}`).sort(),
    }),
  };
};

const listOf = (type: string): ListName =>
  type.startsWith('Profile') ? 'profiles' : type.startsWith('Reservation') ? 'reservations' : 'access_rights';

const byText = (a: object, b: object): number => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1);

type Dump = ReturnType<ReturnType<typeof makeListsModel>['dump']>;

/** What is in the tables, as the model would show it. */
export const dumpOf = async (pool: {
  query(sql: string): Promise<{ readonly rows: readonly unknown[] }>;
}): Promise<Dump> => {
  const { rows } = await pool.query(dumpStatement);
  const { records, lists, blocks, removals } = rows[0] as Dump;
  return {
    records: records.toSorted(byText),
    lists: lists.toSorted(),
    blocks: blocks.toSorted(),
    removals: removals.toSorted(),
  };
};

const recordsOf = (list: ListName) => `
  select json_build_object(
    'list', '${list}', 'organizationId', organization_id, 'id', id, 'createdAt', created_at, 'revision', revision,
    'item', item, 'changed', changed, 'ordinal', ordinal, 'entered', entered,
    'ofUser', case when user_id is not null
              then json_build_object('user', user_id, 'ordinal', user_ordinal, 'entered', user_entered) end) as record
  from ${list}`;

const dumpStatement = `
  select
    (select coalesce(json_agg(record), '[]') from (
       ${(['profiles', 'reservations', 'access_rights'] as const).map(recordsOf).join(' union all ')}) as all_records
    ) as records,
    (select coalesce(json_agg(list || ' ' || organization_id || ' ' || user_id || ': ' || total || ' of ' || next_ordinal
                              || ', ' || changed), '[]') from lists) as lists,
    (select coalesce(json_agg(list || ' ' || organization_id || ' ' || user_id || ' ' || level || '/' || block || ': '
                              || records), '[]') from list_blocks) as blocks,
    (select coalesce(json_agg(list || ' ' || organization_id || ' ' || user_id || ' ' || id || '@' || ordinal || ': ' || entered
                              || ' to ' || removed || ', ' || removed_at || ', ' || again), '[]') from list_removals) as removals`;
