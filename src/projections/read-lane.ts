import { Client, type QueryResultRow } from 'pg';

/** What the parts of this room log with; a pino logger fits. */
export type Logger = {
  info(context: object, message: string): void;
  warn(context: object, message: string): void;
  error(context: object, message: string): void;
};

/** A prepared statement: parsed and planned once per connection. `name` is unique in the service. */
export type Named = { readonly name: string; readonly text: string };

/** Connections that carry many single statements at once, each with its own snapshot. */
export type ReadLane = {
  /** The statement is sent after the call, so it sees everything committed before. @throws when the connection is lost */
  query<R extends QueryResultRow>(statement: Named, values: readonly unknown[]): Promise<readonly R[]>;
  close(): Promise<void>;
};

export type ReadLaneOptions = {
  readonly databaseUrl: string;
  readonly logger: Logger;
  /** Statements on one connection are answered in turn; a second one goes on while the first is busy with a long read. */
  readonly connections?: number;
  /** A server that does not answer for this long counts as lost. */
  readonly timeoutMs?: number;
};

/**
 * Pipelined connections (pg's `pipeline`): two to three times the throughput of a pool for single statements, because
 * nothing waits for a round trip. Never use one for transactions. A lost connection fails the calls that wait on it;
 * the next call connects again.
 */
export const makeReadLane = (options: ReadLaneOptions): ReadLane => {
  const lines = Array.from({ length: options.connections ?? 1 }, () => makeLine(options));
  return {
    query: (statement, values) =>
      lines.reduce((a, b) => (b.waiting() < a.waiting() ? b : a)).query(statement, values),
    close: async () => void (await Promise.all(lines.map((line) => line.close()))),
  };
};

type Line = ReadLane & { waiting(): number };

const makeLine = ({ databaseUrl, logger, timeoutMs = 10_000 }: ReadLaneOptions): Line => {
  let current: Client | null = null;
  let connecting: Promise<Client> | null = null;
  let closed = false;
  let waiting = 0;

  const open = async (): Promise<Client> => {
    const client = new Client({
      connectionString: databaseUrl,
      pipeline: true,
      keepAlive: true,
      query_timeout: timeoutMs,
      connectionTimeoutMillis: timeoutMs,
    });
    const forget = () => {
      if (current === client) current = null;
    };
    client.on('end', forget);
    client.on('error', (error) => {
      forget();
      logger.warn({ err: error }, 'a read connection was lost');
      void client.end();
    });
    await client.connect();
    // Named statements are planned once: planning a page anew for each request costs as much as reading it.
    await client.query('set plan_cache_mode = force_generic_plan; set jit = off');
    if (closed) await client.end();
    else current = client;
    return client;
  };
  const connected = (): Client | Promise<Client> => {
    if (closed) throw new Error('The read lane is closed');
    return current ?? (connecting ??= open().finally(() => (connecting = null)));
  };

  return {
    waiting: () => waiting,
    async query<R extends QueryResultRow>({ name, text }: Named, values: readonly unknown[]) {
      waiting++;
      try {
        const client = await connected();
        return (await client.query<R>({ name, text, values: [...values] })).rows;
      } finally {
        waiting--;
      }
    },
    async close() {
      closed = true;
      await connecting?.catch(() => undefined);
      await current?.end();
    },
  };
};
