import type { ClientBase, Pool, PoolClient } from 'pg';

/** Serialization failure and deadlock: the server has undone everything, and the same may succeed now. */
const isConflict = (error: unknown): boolean =>
  ['40001', '40P01'].includes(String((error as { readonly code?: unknown } | null)?.code));

const mostAttempts = 20;

/** Does it again when it lost against another transaction. */
export const retryingConflicts = async <T>(work: () => Promise<T>): Promise<T> => {
  for (let attempt = 1; ; attempt += 1)
    try {
      return await work();
    } catch (error) {
      if (!isConflict(error) || attempt === mostAttempts) throw error;
    }
};

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

/**
 * The same where several works do not wait for each other: on a connection that is pipelined, what they send first
 * travels with the begin. The rollback waits until all have ended, so that none of them goes on after it.
 * @throws what failed first
 */
export const inPipelinedTransaction = async (
  connection: Connection,
  ...works: readonly (() => Promise<unknown>)[]
): Promise<void> => {
  const failures: unknown[] = [];
  const noted = (work: Promise<unknown>) => work.catch((error: unknown) => void failures.push(error));
  await Promise.all([noted(connection.query('begin')), ...works.map((work) => noted(work()))]);
  if (failures.length === 0) {
    await connection.query('commit').catch((error: unknown) => void failures.push(error));
    if (failures.length === 0) return;
  }
  await connection.query('rollback').catch(() => undefined); // the connection may be what failed
  throw failures[0];
};

/** In milliseconds: a process that stands still within a transaction must not keep its locks. */
const silenceMs = 3_000;

/**
 * The same on a connection of a pool, and again when it lost against another transaction. When anything fails, the connection is closed,
 * which ends the transaction.
 */
export const inPoolTransaction = <T>(pool: Pool, work: (client: PoolClient) => Promise<T>): Promise<T> =>
  retryingConflicts(() => oncePooled(pool, work));

const oncePooled = async <T>(pool: Pool, work: (client: PoolClient) => Promise<T>): Promise<T> => {
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
