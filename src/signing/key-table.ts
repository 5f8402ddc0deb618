import type { Pool, PoolClient } from 'pg';
import { inPoolTransaction } from '../common/transaction.ts';
import type { PipelinedReader } from '../projections/database/pipelined-reader.ts';
import type { StoredKey } from './signing-key.ts';

/** A row as it is in the database: anybody who can write there may have written it. */
export type KeyRow = Omit<StoredKey, 'publicJwk' | 'retiredAt'> & {
  readonly publicJwk: unknown;
  /** By the id of a token key, base64url. */
  readonly macs: unknown;
};

export type SignedKey = { readonly key: StoredKey; readonly mac: string };

export type KeyTable = {
  all(): Promise<readonly KeyRow[]>;
  /** Adds what `make` returns for the existing rows, if any; no other in between. @returns whether it was added */
  add(make: (rows: readonly KeyRow[]) => Promise<SignedKey | null>): Promise<boolean>;
  addMac(kid: string, tokenKeyId: string, mac: string): Promise<void>;
};

export type KeyTableDependencies = { readonly pool: Pool; readonly reader: PipelinedReader };

export const makeKeyTable = ({ pool, reader }: KeyTableDependencies): KeyTable => ({
  all: async () =>
    toKeyRows(await reader.query<StoredRow>({ name: 'signing-keys', text: selectKeyRows }, [])),
  add: (make) =>
    inPoolTransaction(pool, async (client) => {
      await client.query('lock table signing_keys in share row exclusive mode');
      const made = await make(toKeyRows((await client.query<StoredRow>(selectKeyRows)).rows));
      if (made) await insert(client, made);
      return made !== null;
    }),
  addMac: async (kid, tokenKeyId, mac) => void (await pool.query(updateMacs, [kid, tokenKeyId, mac])),
});

export type StoredRow = Omit<KeyRow, 'createdAt' | 'currentFrom'> & {
  readonly createdAt: string;
  readonly currentFrom: string;
};

export const selectKeyRows = `
  select kid, public_jwk as "publicJwk", token_key_id as "tokenKeyId", sealed_private_key as "encryptedPrivateKey",
         created_at as "createdAt", current_from as "currentFrom", macs
  from signing_keys order by current_from, kid`;

export const toKeyRows = (rows: readonly StoredRow[]): readonly KeyRow[] =>
  rows.map(({ createdAt, currentFrom, ...row }) => ({
    ...row,
    createdAt: Number(createdAt),
    currentFrom: Number(currentFrom),
  }));

const updateMacs = `
  update signing_keys
  set macs = case jsonb_typeof(macs) when 'object' then macs else '{}' end || jsonb_build_object($2::text, $3::text)
  where kid = $1`;

const insert = (client: PoolClient, { key, mac }: SignedKey) =>
  client.query(
    `insert into signing_keys (kid, algorithm, public_jwk, token_key_id, sealed_private_key, created_at, current_from, macs)
     values ($1, $2, $3, $4, $5, $6, $7, jsonb_build_object($4::text, $8::text))`,
    [
      key.kid,
      key.publicJwk.alg,
      JSON.stringify(key.publicJwk),
      key.tokenKeyId,
      key.encryptedPrivateKey,
      key.createdAt,
      key.currentFrom,
      mac,
    ],
  );
