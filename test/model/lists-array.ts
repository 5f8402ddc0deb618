/** The three lists as plain arrays, by what docs/explanation/lists.md says of them: what a page must show is a slice of one. */

export type Kind = 'profiles' | 'reservations' | 'access_rights';

/** A record as the host told it last. `owner` is a profile's user, and the profile of the others. */
export type Shown = {
  readonly organizationId: string;
  readonly id: string;
  readonly version: number;
  readonly owner: string | null;
  readonly createdAt: string;
  readonly updatedAt: string;
};

/** One stay of a record in a list. One that leaves and comes again is another, at the end. */
export type Entry = {
  readonly organizationId: string;
  readonly id: string;
  readonly ordinal: number;
  readonly entered: bigint;
};

type List = { readonly entries: Entry[]; next: number; changed: bigint };

/** What an event says, and when it came. */
export type Happening = { readonly position: bigint; readonly at: string };

export const emptyLists = () => {
  const lists = new Map<string, List>();
  const records = new Map<string, Shown>();
  const key = (kind: Kind, organizationId: string, id: string) => `${kind} ${organizationId} ${id}`;

  const listOf = (kind: Kind, organizationId: string, userId: string): List => {
    const name = key(kind, organizationId, userId);
    let list = lists.get(name);
    if (!list) lists.set(name, (list = { entries: [], next: 0, changed: 0n }));
    return list;
  };
  const find = (kind: Kind, organizationId: string, id: string) => records.get(key(kind, organizationId, id));
  /** Whose list it is in besides its organization's. */
  const userOf = (kind: Kind, { organizationId, owner }: Shown): string | null =>
    kind === 'profiles' || owner === null ? owner : (find('profiles', organizationId, owner)?.owner ?? null);

  const enter = (list: List, { organizationId, id }: Shown, entered: bigint): void => {
    list.entries.push({ organizationId, id, ordinal: list.next, entered });
    Object.assign(list, { next: list.next + 1, changed: entered });
  };
  const leave = (list: List, id: string, position: bigint): void => {
    list.entries.splice(
      list.entries.findIndex((entry) => entry.id === id),
      1,
    );
    list.changed = position;
  };
  const move = (kind: Kind, record: Shown, from: string | null, to: string | null, position: bigint) => {
    const { organizationId, id } = record;
    if (from !== null && from !== to) leave(listOf(kind, organizationId, from), id, position);
    if (to !== null && from !== to) enter(listOf(kind, organizationId, to), record, position);
  };
  /** What belongs to a profile goes where the profile goes, in the order of the organization's list. */
  const moveDependents = (profile: Shown, from: string | null, to: string | null, position: bigint) => {
    for (const kind of ['reservations', 'access_rights'] as const)
      for (const { organizationId, id } of listOf(kind, profile.organizationId, '').entries) {
        const record = find(kind, organizationId, id);
        if (record?.owner === profile.id) move(kind, record, from, to, position);
      }
  };

  return {
    listOf,
    find,
    /** What the tables hold of all this, a line a row (0007-lists.sql). */
    rows: (): readonly string[] => [...lists].flatMap(([name, list]) => rowsOf(name, list)),
    /** A version of a record: it enters at the end, or is changed where it stands. */
    record(kind: Kind, told: Omit<Shown, 'createdAt' | 'updatedAt'>, { position, at }: Happening): void {
      const before = find(kind, told.organizationId, told.id);
      const record = { ...told, createdAt: before?.createdAt ?? at, updatedAt: at };
      const from = before ? userOf(kind, before) : null;
      records.set(key(kind, told.organizationId, told.id), record);
      const to = userOf(kind, record);
      const own = listOf(kind, told.organizationId, '');
      if (before) own.changed = position;
      else enter(own, record, position);
      if (from !== null && from === to) listOf(kind, told.organizationId, to).changed = position;
      move(kind, record, from, to, position);
      if (kind === 'profiles') moveDependents(record, from, to, position);
    },
    /** Of a record that is not there nothing changes. */
    remove(kind: Kind, organizationId: string, id: string, position: bigint): void {
      const before = find(kind, organizationId, id);
      if (!before) return;
      const from = userOf(kind, before);
      records.delete(key(kind, organizationId, id));
      leave(listOf(kind, organizationId, ''), id, position);
      move(kind, before, from, null, position);
      if (kind === 'profiles') moveDependents(before, from, null, position);
    },
  };
};

/** A list that never held a record has no row; its blocks have one once there is more than one of them. */
const rowsOf = (name: string, { entries, next, changed }: List): readonly string[] => {
  if (next === 0) return [];
  const blocks = [8, 16].flatMap((bits, level) => {
    const counts = new Map<number, number>();
    if (next > 2 ** bits)
      for (const { ordinal } of entries) counts.set(ordinal >> bits, (counts.get(ordinal >> bits) ?? 0) + 1);
    return [...counts].map(([block, count]) => `${name} has ${count} in ${level}/${block}`);
  });
  return [
    `${name}: ${entries.length} of ${next}, changed at ${changed}`,
    ...entries.map(({ id, ordinal, entered }) => `${name} ${ordinal}: ${id} since ${entered}`),
    ...blocks,
  ];
};
