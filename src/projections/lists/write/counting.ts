import type { ListName } from './operations.ts';
import { listKey, type BlockChange, type ListRow, type NameOfList, type Place } from './rows.ts';

/** The two sizes of blocks in the table: 256 ordinals, and 65,536. */
export const usualFanOut = 256;

type Counted = { -readonly [K in keyof ListRow]: ListRow[K] };

/** The counts of the lists while a batch is folded: only here are ordinals assigned. */
export type Counting = {
  /** @returns the list's next ordinal, which is counted in its block from now on */
  enter(name: NameOfList, position: bigint): Place;
  leave(name: NameOfList, ordinal: number, position: bigint): void;
  /** The content of the list has changed, with the same records in it. */
  touch(name: NameOfList, position: bigint): void;
  changes(): { readonly lists: readonly ListRow[]; readonly blocks: readonly BlockChange[] };
};

/** @param known the lists as they are in the table; any other list is new */
export const makeCounting = (known: readonly ListRow[], fanOut = usualFanOut): Counting => {
  const before = new Map(known.map((row) => [listKey(row), row]));
  const lists = new Map<string, Counted>();
  const blocks = new Map<string, { -readonly [K in keyof BlockChange]: BlockChange[K] }>();
  const levels = [0, 1].map((level) => ({ level, size: fanOut ** (level + 1) }));

  const changed = (name: NameOfList, position: bigint): Counted => {
    const key = listKey(name);
    const list = lists.get(key) ?? { ...(before.get(key) ?? emptyList(name)) };
    lists.set(key, list);
    list.changed = position;
    return list;
  };
  const count = (
    { list, organizationId, userId }: NameOfList,
    level: number,
    block: number,
    records: number,
  ) => {
    const key = `${listKey({ list, organizationId, userId })} ${level} ${block}`;
    const change = blocks.get(key) ?? { list, organizationId, userId, level, block, records: 0 };
    blocks.set(key, change);
    change.records += records;
  };

  return {
    enter(name, position) {
      const list = changed(name, position);
      const ordinal = list.nextOrdinal;
      for (const { level, size } of levels) {
        if (ordinal === size) count(list, level, 0, list.total); // all remaining records of the first block
        if (ordinal >= size) count(list, level, Math.floor(ordinal / size), 1);
      }
      list.nextOrdinal += 1;
      list.total += 1;
      return { ordinal, entered: position };
    },
    leave(name, ordinal, position) {
      const list = changed(name, position);
      for (const { level, size } of levels)
        if (list.nextOrdinal > size) count(list, level, Math.floor(ordinal / size), -1);
      list.total -= 1;
    },
    touch(name, position) {
      changed(name, position);
    },
    changes: () => ({
      lists: [...lists.values()],
      blocks: [...blocks.values()].filter(({ records }) => records !== 0),
    }),
  };
};

const emptyList = ({ list, organizationId, userId }: NameOfList): ListRow => ({
  list,
  organizationId,
  userId,
  total: 0,
  nextOrdinal: 0,
  changed: 0n,
});

/** The organization's own list. */
export const ofOrganization = (list: ListName, organizationId: string): NameOfList => ({
  list,
  organizationId,
  userId: '',
});
