import type { Pool } from 'pg';
import type { WrappedKey } from './wrapped-key.ts';

export type SubjectKeyTable = {
  /** Adds keys for subjects without one. @returns the key of each, the same for every instance */
  add(keys: readonly WrappedKey[]): Promise<readonly WrappedKey[]>;
  /** Including earlier keys of a person. */
  byIds(keyIds: readonly string[]): Promise<readonly WrappedKey[]>;
  /** Permanently deletes a subject's key and earlier ones (a trigger): it can never get another. Repeatable. */
  destroy(tombstone: Pick<WrappedKey, 'keyId' | 'subject'>): Promise<void>;
  /** The number of keys under each master key. */
  countByMaster(): Promise<readonly { readonly masterKeyId: string; readonly count: number }[]>;
};

export const makeSubjectKeyTable = (pool: Pool): SubjectKeyTable => ({
  async add(keys) {
    // In one order: two instances that add the same keys wait for each other without a deadlock.
    const ordered = [...keys].sort((a, b) => (a.subject < b.subject ? -1 : 1));
    const added = await pool.query<WrappedKey>({
      name: 'add-subject-keys',
      text: insertKeys,
      values: (['subject', 'keyId', 'masterKeyId', 'wrapped'] as const).map((name) =>
        ordered.map((key) => key[name]),
      ),
    });
    if (added.rows.length === keys.length) return added.rows;
    const there = new Set(added.rows.map(({ subject }) => subject));
    const others = ordered.map(({ subject }) => subject).filter((subject) => !there.has(subject));
    // A separate statement: the one above does not see what another instance has committed in the meantime.
    const found = await pool.query<WrappedKey>({
      name: 'subject-keys-of',
      text: selectBySubject,
      values: [others],
    });
    return [...added.rows, ...found.rows];
  },
  byIds: async (keyIds) =>
    (await pool.query<WrappedKey>({ name: 'subject-keys', text: selectById, values: [keyIds] })).rows,
  destroy: async ({ subject, keyId }) => void (await pool.query(destroyKey, [subject, keyId])),
  countByMaster: async () =>
    (await pool.query<{ masterKeyId: string; count: string }>(countKeys)).rows.map(
      ({ masterKeyId, count }) => ({ masterKeyId, count: Number(count) }),
    ),
});

const columns = `subject, key_id as "keyId", master_key_id as "masterKeyId", wrapped_key as "wrapped"`;

const insertKeys = `
  insert into subject_keys (subject, key_id, master_key_id, wrapped_key)
  select * from unnest($1::text[], $2::text[], $3::text[], $4::bytea[])
  on conflict (subject) do nothing
  returning ${columns}`;

const selectBySubject = `select ${columns} from subject_keys where subject = any ($1::text[])`;

const selectById = `select ${columns}, earlier from every_subject_key where key_id = any ($1::text[])`;

const destroyKey = `
  insert into subject_keys (subject, key_id, erased_at) values ($1, $2, now())
  on conflict (subject) do update set wrapped_key = null, master_key_id = null, erased_at = now()
  where subject_keys.wrapped_key is not null`;

const countKeys = `
  select master_key_id as "masterKeyId", count(*) from every_subject_key where master_key_id is not null
  group by master_key_id order by master_key_id`;
