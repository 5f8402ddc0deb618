import type { Pool } from 'pg';
import type { WrappedKey } from './wrapped-key.ts';

/** A key that was not destroyed. */
export type LiveKey = WrappedKey & { readonly masterKeyId: string; readonly wrapped: Uint8Array };

/** A key under another master key than before. */
export type Rewrapped = LiveKey & { readonly was: string };

/** The keys of persons, as whoever keeps them goes through them: in the order of their subjects, without destroyed ones. */
export type KeptKeyTable = {
  page(after: string, count: number): Promise<readonly LiveKey[]>;
  /** The same of those that are not under this master key. */
  pageNotUnder(masterKeyId: string, after: string, count: number): Promise<readonly LiveKey[]>;
  /** One that is under it. */
  anyUnder(masterKeyId: string): Promise<LiveKey | null>;
  /** Adds those whose subject has no row; what is there stays. @returns the subjects of those that were added */
  addMissing(keys: readonly LiveKey[]): Promise<readonly string[]>;
  /** The rows of these subjects, destroyed ones as well. */
  bySubjects(subjects: readonly string[]): Promise<readonly WrappedKey[]>;
  /** Leaves alone what was destroyed or wrapped anew meanwhile. @returns how many were changed */
  rewrap(keys: readonly Rewrapped[]): Promise<number>;
};

export const makeKeptKeyTable = (pool: Pool): KeptKeyTable => ({
  page: async (after, count) => (await pool.query<LiveKey>(selectPage, [after, count])).rows,
  pageNotUnder: async (masterKeyId, after, count) =>
    (await pool.query<LiveKey>(selectOthers, [after, count, masterKeyId])).rows,
  anyUnder: async (masterKeyId) => (await pool.query<LiveKey>(selectAny, [masterKeyId])).rows[0] ?? null,
  addMissing: async (keys) =>
    (await pool.query<{ subject: string }>(insertMissing, columnsOf(keys))).rows.map(
      ({ subject }) => subject,
    ),
  bySubjects: async (subjects) => (await pool.query<WrappedKey>(selectBySubject, [subjects])).rows,
  rewrap: async (keys) =>
    (await pool.query(updateWrapped, [...columnsOf(keys), keys.map(({ was }) => was)])).rowCount ?? 0,
});

/** In one order: two that write the same ones wait for each other, and never each for the other. */
const columnsOf = (keys: readonly LiveKey[]): unknown[] =>
  (['subject', 'keyId', 'masterKeyId', 'wrapped'] as const).map((name) => keys.map((key) => key[name]));

const columns = `subject, key_id as "keyId", master_key_id as "masterKeyId", wrapped_key as "wrapped"`;

const selectPage = `
  select ${columns} from subject_keys where subject > $1 and wrapped_key is not null order by subject limit $2`;

const selectOthers = `
  select ${columns} from subject_keys where subject > $1 and master_key_id <> $3 order by subject limit $2`;

const selectAny = `select ${columns} from subject_keys where master_key_id = $1 limit 1`;

const insertMissing = `
  insert into subject_keys (subject, key_id, master_key_id, wrapped_key)
  select * from unnest($1::text[], $2::text[], $3::text[], $4::bytea[])
  on conflict do nothing returning subject`;

const selectBySubject = `select ${columns} from subject_keys where subject = any ($1::text[])`;

const updateWrapped = `
  update subject_keys as stored set master_key_id = given.master_key_id, wrapped_key = given.wrapped
  from unnest($1::text[], $2::text[], $3::text[], $4::bytea[], $5::text[])
    as given (subject, key_id, master_key_id, wrapped, was)
  where stored.subject = given.subject and stored.key_id = given.key_id and stored.master_key_id = given.was`;
