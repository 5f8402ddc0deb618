import type { ListName } from './operations.ts';
import {
  listKey,
  type BlockChange,
  type Entered,
  type ListRow,
  type Moment,
  type NameOfList,
  type Place,
  type Removal,
} from './rows.ts';

/** The two sizes of blocks in the table: 256 ordinals, and 65,536. */
export const usualFanOut = 256;

type Counted = { -readonly [K in keyof ListRow]: ListRow[K] };

export type CountingChanges = {
  readonly lists: readonly ListRow[];
  readonly blocks: readonly BlockChange[];
  readonly removals: readonly Removal[];
  readonly entered: readonly Entered[];
};

/** The counts of the lists while a batch is folded, and who entered and left: only here are ordinals assigned. */
export type Counting = {
  /** @returns the list's next ordinal, which is counted in its block from now on */
  enter(name: NameOfList, id: string, position: bigint): Place;
  leave(name: NameOfList, id: string, place: Place, moment: Moment): void;
  /** The content of the list has changed, with the same records in it. */
  touch(name: NameOfList, position: bigint): void;
  changes(): CountingChanges;
};

/** @param known the lists as they are in the table; any other list is new */
export const makeCounting = (known: readonly ListRow[], fanOut = usualFanOut): Counting => {
  const before = new Map(known.map((row) => [listKey(row), row]));
  const lists = new Map<string, Counted>();
  const blocks = new Map<string, { -readonly [K in keyof BlockChange]: BlockChange[K] }>();
  const entered = new Map<string, Entered>();
  const removals = new Map<string, (Removal & { again: boolean })[]>();
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
    enter({ list: kind, organizationId, userId }, id, position) {
      const name = { list: kind, organizationId, userId };
      const key = entryKey(name, id);
      entered.set(key, { ...name, id });
      const newest = removals.get(key)?.at(-1); // those before it are marked
      if (newest) newest.again = true;
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
    leave({ list: kind, organizationId, userId }, id, { ordinal, entered: since }, { position, at }) {
      const name = { list: kind, organizationId, userId };
      const key = entryKey(name, id);
      const removal = {
        ...name,
        id,
        ordinal,
        entered: since,
        removed: position,
        removedAt: at,
        again: false,
      };
      const earlier = removals.get(key);
      if (earlier) earlier.push(removal);
      else removals.set(key, [removal]);
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
      removals: [...removals.values()].flat(),
      entered: [...entered.values()],
    }),
  };
};

const entryKey = (name: NameOfList, id: string): string => `${listKey(name)}\u0000${id}`;

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
