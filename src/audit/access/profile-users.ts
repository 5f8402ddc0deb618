import type { RecordChange } from '../../domain/records/record-change.ts';

export const makeProfileUsers = () => {
  const userOf = new Map<string, string>();
  const profiles = new Map<string, number>();
  const add = (userId: string, by: number) => profiles.set(userId, (profiles.get(userId) ?? 0) + by);
  return {
    /** @returns whether a profile belongs to another user now, or to none */
    apply({ list, id, owner }: RecordChange): boolean {
      const before = userOf.get(id);
      if (list !== 'profiles' || (before ?? null) === owner) return false;
      if (before !== undefined) add(before, -1);
      if (owner === null) userOf.delete(id);
      else {
        userOf.set(id, owner);
        add(owner, 1);
      }
      return true;
    },
    has: (userId: string): boolean => (profiles.get(userId) ?? 0) > 0,
  };
};
