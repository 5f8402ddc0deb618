import type { ClientBase, Pool, PoolClient } from 'pg';

type Connection = Pick<ClientBase, 'query'>;

/** Commits what `work` did, or rolls it back when it throws; the connection can be used again either way. */
export const inTransaction = async <T>(connection: Connection, work: () => Promise<T>): Promise<T> => {
  await connection.query('begin');
  try {
    const done = await work();
    await connection.query('commit');
    return done;
  } catch (error) {
    await connection.query('rollback').catch(() => undefined); // the connection may be what failed
    throw error;
  }
};

/** In milliseconds: a process that stands still within a transaction must not keep its locks. */
const silenceMs = 3_000;

/** The same on a connection of a pool. When anything fails, the connection is closed, which ends the transaction. */
export const inPoolTransaction = async <T>(
  pool: Pool,
  work: (client: PoolClient) => Promise<T>,
): Promise<T> => {
  const client = await pool.connect();
  try {
    await client.query(`begin; set local idle_in_transaction_session_timeout = ${silenceMs}`);
    const done = await work(client);
    await client.query('commit');
    client.release();
    return done;
  } catch (error) {
    client.release(true);
    throw error;
  }
};

/** A statement that a connection prepares once, by its name. */
export const statement =
  (name: string) =>
  (parts: TemplateStringsArray, ...values: readonly (string | number)[]) => ({
    name,
    text: String.raw({ raw: parts }, ...values),
  });
