import type { Pool, PoolClient } from 'pg';

/** Does work on one connection, all of it or nothing. */
export const inTransaction = async <T>(pool: Pool, work: (client: PoolClient) => Promise<T>): Promise<T> => {
  const client = await pool.connect();
  try {
    await client.query('begin');
    const value = await work(client);
    await client.query('commit');
    client.release();
    return value;
  } catch (error) {
    client.release(true); // ends the connection, and the transaction with it
    throw error;
  }
};
