import type { Pool } from 'pg';
import type { WrappedKey } from './wrapped-key.ts';

export type LiveKey = WrappedKey & { readonly masterKeyId: string; readonly wrapped: Uint8Array };

/** A key that is now wrapped under another master key. */
export type Rewrapped = LiveKey & { readonly was: string };

/** Identifies a key: a person may have earlier ones. */
export type KeyPlace = Pick<LiveKey, 'subject' | 'keyId'>;

/** The keys of persons by subject, with earlier ones and without deleted ones: for backup and maintenance. */
export const makeKeptKeyTable = (pool: Pool) => ({
  page: async (after: KeyPlace | null, count: number) =>
    (await pool.query<LiveKey>(selectPage, [after?.subject ?? '', after?.keyId ?? '', count])).rows,
  /** The same for keys that are not under this master key. */
  pageNotUnder: async (masterKeyId: string, after: KeyPlace | null, count: number) =>
    (await pool.query<LiveKey>(selectOthers, [after?.subject ?? '', after?.keyId ?? '', count, masterKeyId]))
      .rows,
  /** One key that is under it. */
  anyUnder: async (masterKeyId: string) =>
    (await pool.query<LiveKey>(selectAny, [masterKeyId])).rows[0] ?? null,
  /** Adds keys of subjects without a row; existing rows stay. @returns the subjects of the added keys */
  addMissing: async (keys: readonly LiveKey[]) =>
    (await pool.query<{ subject: string }>(insertMissing, columnsOf(keys))).rows.map(
      ({ subject }) => subject,
    ),
  /** Adds keys of subjects that have another key, as earlier ones. @returns the ids of the added keys */
  addEarlier: async (keys: readonly LiveKey[]) =>
    (await pool.query<{ id: string }>(insertEarlier, columnsOf(keys))).rows.map(({ id }) => id),
  /** The rows of these subjects, including deleted and earlier ones. */
  bySubjects: async (subjects: readonly string[]) =>
    (await pool.query<WrappedKey>(selectBySubject, [subjects])).rows,
  /** Skips rows that were deleted or wrapped again in the meantime. @returns how many were changed */
  rewrap: async (keys: readonly Rewrapped[]) => {
    const values = [...columnsOf(keys), keys.map(({ was }) => was)];
    let changed = 0;
    for (const table of ['subject_keys', 'earlier_subject_keys'] as const)
      changed += (await pool.query(updateWrapped(table), values)).rowCount ?? 0;
    return changed;
  },
});

export type KeptKeyTable = ReturnType<typeof makeKeptKeyTable>;

/** In one order: concurrent writers of the same keys wait for each other without a deadlock. */
const columnsOf = (keys: readonly LiveKey[]): unknown[] =>
  (['subject', 'keyId', 'masterKeyId', 'wrapped'] as const).map((name) => keys.map((key) => key[name]));

const columns = `subject, key_id as "keyId", master_key_id as "masterKeyId", wrapped_key as "wrapped"`;

const selectPage = `
  select ${columns} from every_subject_key where (subject, key_id) > ($1, $2) and wrapped_key is not null
  order by subject, key_id limit $3`;

const selectOthers = `
  select ${columns} from every_subject_key where (subject, key_id) > ($1, $2) and master_key_id <> $4
  order by subject, key_id limit $3`;

const selectAny = `select ${columns} from every_subject_key where master_key_id = $1 limit 1`;

const insertMissing = `
  insert into subject_keys (subject, key_id, master_key_id, wrapped_key)
  select * from unnest($1::text[], $2::text[], $3::text[], $4::bytea[])
  on conflict do nothing returning subject`;

/** Locks the row of the person in the meantime: a deleted key gets no earlier key. */
const insertEarlier = `
  insert into earlier_subject_keys (subject, key_id, master_key_id, wrapped_key)
  select given.* from unnest($1::text[], $2::text[], $3::text[], $4::bytea[]) as given (subject, key_id, master_key_id, wrapped)
  join subject_keys as stored using (subject)
  where stored.wrapped_key is not null and stored.key_id <> given.key_id
  for share of stored
  on conflict do nothing returning key_id as id`;

const selectBySubject = `select ${columns}, earlier from every_subject_key where subject = any ($1::text[])`;

const updateWrapped = (table: 'subject_keys' | 'earlier_subject_keys'): string => `
  update ${table} as stored set master_key_id = given.master_key_id, wrapped_key = given.wrapped
  from unnest($1::text[], $2::text[], $3::text[], $4::bytea[], $5::text[])
    as given (subject, key_id, master_key_id, wrapped, was)
  where stored.subject = given.subject and stored.key_id = given.key_id and stored.master_key_id = given.was`;
