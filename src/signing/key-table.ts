import type { Pool, PoolClient } from 'pg';
import type { ReadLane } from '../projections/read-lane.ts';
import type { StoredKey } from './signing-key.ts';

/** The signing keys of all instances. */
export type KeyTable = {
  all(): Promise<readonly StoredKey[]>;
  /**
   * Adds the key unless `isNeeded` finds that another instance was faster; nobody else adds one between the two.
   * @returns all keys as they are then
   */
  add(key: StoredKey, isNeeded: (all: readonly StoredKey[]) => boolean): Promise<readonly StoredKey[]>;
};

export type KeyTableNeeds = { readonly pool: Pool; readonly lane: ReadLane };

export const makeKeyTable = ({ pool, lane }: KeyTableNeeds): KeyTable => ({
  all: async () => (await lane.query<Row>({ name: 'signing-keys', text: selectKeys }, [])).map(toKey),
  async add(key, isNeeded) {
    const client = await pool.connect();
    try {
      await client.query('begin');
      await client.query('lock table signing_keys in share row exclusive mode');
      if (isNeeded(await keysIn(client))) await insert(client, key);
      const all = await keysIn(client);
      await client.query('commit');
      client.release();
      return all;
    } catch (error) {
      client.release(true); // ends the connection, and the transaction with it
      throw error;
    }
  },
});

type Row = Omit<StoredKey, 'createdAt' | 'currentFrom'> & {
  readonly createdAt: string;
  readonly currentFrom: string;
};

const selectKeys = `
  select kid, public_jwk as "publicJwk", token_key_id as "tokenKeyId", sealed_private_key as "sealedPrivateKey",
         created_at as "createdAt", current_from as "currentFrom"
  from signing_keys order by current_from, kid`;

const toKey = ({ createdAt, currentFrom, ...row }: Row): StoredKey => ({
  ...row,
  createdAt: Number(createdAt),
  currentFrom: Number(currentFrom),
});

const keysIn = async (client: PoolClient): Promise<readonly StoredKey[]> =>
  (await client.query<Row>(selectKeys)).rows.map(toKey);

const insert = (client: PoolClient, key: StoredKey) =>
  client.query(
    `insert into signing_keys (kid, algorithm, public_jwk, token_key_id, sealed_private_key, created_at, current_from)
     values ($1, $2, $3, $4, $5, $6, $7)`,
    [
      key.kid,
      key.publicJwk.alg,
      JSON.stringify(key.publicJwk),
      key.tokenKeyId,
      key.sealedPrivateKey,
      key.createdAt,
      key.currentFrom,
    ],
  );
