import type { RecordChange } from '../../domain/records/record-change.ts';

export type ListOfRecords = RecordChange['list'];

/** A view of a list: the whole organization's (null), or that of one of its users. */
export type View = { readonly list: ListOfRecords; readonly userId: string | null };

/** A view that a record entered, and when it had left it before (-1: never). */
export type Entered = { readonly view: View; readonly leftAt: number };

type Known = { readonly list: ListOfRecords; readonly id: string; readonly owner: string | null };

/** An organization's records as its lists would hold them, with counts. A removed record keeps when that was, so that it is counted once. */
export const makeRecordBook = () => {
  const records = new Map<string, Known>();
  const ofProfile = new Map<string, Set<string>>();
  const totals = new Map<string, number>();
  const left = new Map<string, number>();
  let entered: Entered[] = [];
  let clock = 0;

  const keyOf = ({ list, userId }: View) => `${list} ${userId ?? ''}`;
  const userOf = ({ list, owner }: Known): string | null =>
    list === 'profiles' ? owner : owner === null ? null : (records.get(`profiles ${owner}`)?.owner ?? null);
  const move = (view: View, key: string, by: 1 | -1) => {
    const of = keyOf(view);
    totals.set(of, (totals.get(of) ?? 0) + by);
    if (by === -1) left.set(`${of} ${key}`, clock);
    else entered.push({ view, leftAt: left.get(`${of} ${key}`) ?? -1 });
  };
  const moveUser = (known: Known, key: string, from: string | null, to: string | null) => {
    if (from === to) return;
    if (from !== null) move({ list: known.list, userId: from }, key, -1);
    if (to !== null) move({ list: known.list, userId: to }, key, 1);
  };
  /** The records of a profile move with it to another user, or to none. */
  const dependents = (profileId: string): readonly (readonly [string, Known])[] =>
    [...(ofProfile.get(profileId) ?? [])].flatMap((key) => {
      const known = records.get(key);
      return known ? [[key, known] as const] : [];
    });

  return {
    /** @returns the views that records entered, and the users to whom a profile belongs now or no longer */
    apply({ list, id, present, owner }: RecordChange): {
      readonly entered: readonly Entered[];
      readonly users: readonly string[];
    } {
      clock += 1;
      entered = [];
      const key = `${list} ${id}`;
      const before = records.get(key) ?? null;
      const userBefore = before && userOf(before);
      const hanging = list === 'profiles' ? dependents(id) : [];
      if (list !== 'profiles' && before?.owner) ofProfile.get(before.owner)?.delete(key);
      const after: Known | null = present ? { list, id, owner } : null;
      if (after) records.set(key, after);
      else records.delete(key);
      if (list !== 'profiles' && owner !== null)
        ofProfile.set(owner, (ofProfile.get(owner) ?? new Set()).add(key));
      if (before && !after) move({ list, userId: null }, key, -1);
      if (after && !before) move({ list, userId: null }, key, 1);
      const userAfter = after && userOf(after);
      const moved = after ?? before;
      if (moved) moveUser(moved, key, userBefore, userAfter);
      for (const [other, known] of hanging) moveUser(known, other, userBefore, userAfter);
      const users =
        list === 'profiles' ? [userBefore, userAfter].filter((user) => typeof user === 'string') : [];
      return { entered, users: userBefore === userAfter ? [] : users };
    },
    total: (view: View): number => totals.get(keyOf(view)) ?? 0,
    /** Whether a profile belongs to the user. */
    knows: (userId: string): boolean => (totals.get(keyOf({ list: 'profiles', userId })) ?? 0) > 0,
    now: (): number => clock,
  };
};
