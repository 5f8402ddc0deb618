import type { Pool } from 'pg';
import type { PersonalSubject } from '../domain/personal-data.ts';

export type KeyOfPerson = { readonly keyId: string; readonly subject: PersonalSubject };

/** What instances found out about keys without a row. */
export const makeLostKeyTable = (pool: Pool) => {
  const ids = async (text: string, values: readonly unknown[]) =>
    new Set((await pool.query<{ id: string }>(text, [...values])).rows.map(({ id }) => id));
  return {
    /** Which of these subjects' keys were deleted, under any key id. */
    destroyedAmong: (subjects: readonly PersonalSubject[]) => ids(selectDestroyed, [subjects]),
    /** Which of these keys were found lost before. */
    knownAmong: (keyIds: readonly string[]) => ids(selectKnown, [keyIds]),
    /** @returns the ids of those that no other instance has recorded */
    note: (keys: readonly KeyOfPerson[]) => {
      // In one order: two instances that record the same keys wait for each other without a deadlock.
      const ordered = [...keys].sort((a, b) => (a.keyId < b.keyId ? -1 : 1));
      return ids(insertLost, [ordered.map(({ keyId }) => keyId), ordered.map(({ subject }) => subject)]);
    },
    /** The number of persons with a key that was found lost and is still missing but not deleted. */
    countPersons: async () => Number((await pool.query<{ count: string }>(countLostPersons)).rows[0]?.count),
  };
};

export type LostKeyTable = ReturnType<typeof makeLostKeyTable>;

/** The result is `count`. */
export const countLostPersons = `
  select count(distinct subject) from lost_keys
  where not exists (select from every_subject_key there where there.key_id = lost_keys.key_id)
    and not exists (
      select from subject_keys destroyed
      where destroyed.subject = lost_keys.subject and destroyed.wrapped_key is null)`;

const selectDestroyed = `
  select subject as id from subject_keys where subject = any ($1::text[]) and wrapped_key is null`;

const selectKnown = 'select key_id as id from lost_keys where key_id = any ($1::text[])';

const insertLost = `
  insert into lost_keys (key_id, subject) select * from unnest($1::text[], $2::text[])
  on conflict (key_id) do nothing returning key_id as id`;
