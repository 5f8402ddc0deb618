import { Client } from 'pg';
import { sessionOptions, writerLock } from './schema.ts';

/** The only connection that writes. It holds the lock of the log as long as it is open. */
export type WriterConnection = {
  /** Reconnects, and acquires the lock again, after the connection was lost; true if it had to. */
  ready(): Promise<boolean>;
  use(work: (client: Client) => Promise<void>): Promise<void>;
  /**
   * Drops the connection after an error: the lock ensures that its last statement is over before the next connection
   * writes.
   */
  discard(): void;
  close(): Promise<void>;
};

/** Another node serves this database. */
export class AnotherNode extends Error {
  override readonly name = 'AnotherNode';
}

/** @throws AnotherNode when the lock is not free within `patienceMs` */
export const connectWriter = async (databaseUrl: string, patienceMs = 3_000): Promise<WriterConnection> => {
  let client: Client | undefined = await connectLocked(databaseUrl, patienceMs);
  const watch = (watched: Client): void => {
    watched.on('error', () => {
      if (client === watched) client = undefined;
    });
  };
  watch(client);
  return {
    ready: async () => {
      if (client) return false;
      client = await connectLocked(databaseUrl, patienceMs);
      watch(client);
      return true;
    },
    use: async (work) => {
      if (!client) throw new Error('the writing connection was lost');
      await work(client);
    },
    discard: () => {
      client?.end().catch(() => undefined);
      client = undefined;
    },
    close: async () => {
      await client?.end();
      client = undefined;
    },
  };
};

const connectLocked = async (connectionString: string, patienceMs: number): Promise<Client> => {
  const client = new Client({
    connectionString,
    application_name: 'embedded event store node',
    options: sessionOptions,
  });
  client.on('error', () => undefined);
  await client.connect();
  try {
    await client.query(`set lock_timeout = ${patienceMs}`);
    await client.query('select pg_advisory_lock($1)', [writerLock]);
    await client.query('set lock_timeout = 0; set synchronous_commit = on');
    return client;
  } catch (error) {
    await client.end();
    if ((error as { code?: string }).code !== lockNotAvailable) throw error;
    throw new AnotherNode('another node already serves this event store database', { cause: error });
  }
};

const lockNotAvailable = '55P03';
