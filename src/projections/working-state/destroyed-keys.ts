import type { PersonalSubject } from '../../domain/personal-data.ts';
import type { Tx } from '../follow/projection.ts';

/** Deletes keys of erased persons again when the erasure is applied: a restored backup must bring none back. Not part of versions. */
export const destroyKeysAgain = async (tx: Tx, subjects: readonly PersonalSubject[]): Promise<void> => {
  if (subjects.length === 0) return;
  await tx.query({
    name: 'destroy-subject-keys',
    text: destroyKeys,
    values: [[...new Set(subjects)].sort()],
  });
};

const destroyKeys = `
  insert into subject_keys (subject, key_id, erased_at)
  select subject, gen_random_uuid(), now() from unnest($1::text[]) as destroyed (subject)
  on conflict (subject) do update set wrapped_key = null, master_key_id = null, erased_at = now()
  where subject_keys.wrapped_key is not null`;
