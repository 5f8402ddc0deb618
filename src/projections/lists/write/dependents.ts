import { profileKey, recordKey, type RecordRow } from './rows.ts';

/** Which records name a profile, updated while the batch is folded. */
export const makeDependents = (before: readonly RecordRow[]) => {
  const keys = new Map<string, Set<string>>();
  const of = ({ organizationId, profileId }: RecordRow): Set<string> | undefined => {
    if (profileId === null) return undefined;
    const profile = profileKey(organizationId, profileId);
    const named = keys.get(profile) ?? new Set();
    keys.set(profile, named);
    return named;
  };
  for (const row of before) of(row)?.add(recordKey(row));
  return {
    of: (profile: string): readonly string[] => [...(keys.get(profile) ?? [])],
    replace(key: string, was: RecordRow | null, is: RecordRow | null) {
      if (was) of(was)?.delete(key);
      if (is) of(is)?.add(key);
    },
  };
};
