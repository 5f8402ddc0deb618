import type { RecordChange } from './record-change.ts';

/** Which users an organization's profiles belong to. */
export const makeProfileUsers = () => {
  const userOf = new Map<string, string>();
  const profiles = new Map<string, number>();
  const add = (userId: string, by: number) => profiles.set(userId, (profiles.get(userId) ?? 0) + by);
  return {
    apply({ list, id, owner }: RecordChange): void {
      if (list !== 'profiles') return;
      const before = userOf.get(id);
      if (before !== undefined) add(before, -1);
      if (owner === null) userOf.delete(id);
      else {
        userOf.set(id, owner);
        add(owner, 1);
      }
    },
    has: (userId: string): boolean => (profiles.get(userId) ?? 0) > 0,
  };
};
