import { Client, DatabaseError, type QueryConfig, type QueryResultRow } from 'pg';
import { retryingConflicts } from '../../common/transaction.ts';
import { type DatabaseGeneration, meetDatabase } from './database-generation.ts';
import { plannedOnce } from './planner.ts';

export type Logger = {
  info(context: object, message: string): void;
  warn(context: object, message: string): void;
  error(context: object, message: string): void;
};

/** A prepared statement: parsed and planned once per connection. `name` is unique in the service. */
export type Named = { readonly name: string; readonly text: string };

/** Connections that carry many single statements at once, each with its own snapshot. */
export type PipelinedReader = {
  /** The statement is sent after the call, so it sees everything committed before. @throws when the server cannot be reached */
  query<R extends QueryResultRow>(statement: Named, values: readonly unknown[]): Promise<readonly R[]>;
  close(): Promise<void>;
};

export type PipelinedReaderOptions = {
  readonly databaseUrl: string;
  readonly logger: Logger;
  /** Answered in order on one connection; a second one works while the first is busy with a long read. */
  readonly connections?: number;
  /** A server that does not answer for this long counts as lost. */
  readonly timeoutMs?: number;
  /** A connection that nobody used for this long is closed; the next statement opens another. */
  readonly idleMs?: number;
  /** Identifies the database behind each new connection; connections to an earlier one are not used any more. */
  readonly database?: DatabaseGeneration;
};

/** Two to three times a pool's throughput for single statements. No transactions. Unanswered statements of a lost connection are sent again, once. */
export const makePipelinedReader = (options: PipelinedReaderOptions): PipelinedReader => {
  const lines = Array.from({ length: options.connections ?? 1 }, () => makeLine(options));
  return {
    query: (statement, values) =>
      lines.reduce((a, b) => (b.waiting() < a.waiting() ? b : a)).query(statement, values),
    close: async () => void (await Promise.all(lines.map((line) => line.close()))),
  };
};

type Line = PipelinedReader & { waiting(): number };

const makeLine = (options: PipelinedReaderOptions): Line => {
  const { database, idleMs = usualIdleMs } = options;
  let current: Client | null = null;
  let generation = 0;
  let connecting: Promise<Client> | null = null;
  let closed = false;
  let waiting = 0;
  let plansEnd = 0;
  let resting: NodeJS.Timeout | undefined;

  const abandon = (client: Client) => {
    if (current !== client) return;
    current = null;
    void client.end();
  };
  const open = async (): Promise<Client> => {
    const made = await connect(options, abandon);
    if (closed) await made.client.end();
    else ({ client: current, generation } = made);
    return made.client;
  };
  const connected = (): Client | Promise<Client> => {
    if (closed) throw new Error('The read reader is closed');
    if (current && database && database.current() !== generation) abandon(current);
    return current ?? (connecting ??= open().finally(() => (connecting = null)));
  };

  const rest = () => {
    if (waiting === 0 && current) abandon(current);
  };

  const dropOldPlans = (client: Client) => {
    const now = performance.now();
    if (now < plansEnd) return;
    plansEnd = now + planLifeMs;
    client.query('discard plans').catch(() => undefined); // a lost connection is reported by the next statement
  };
  const ask = async <R extends QueryResultRow>(
    query: QueryConfig,
    repeat: boolean,
  ): Promise<readonly R[]> => {
    const client = await connected();
    try {
      dropOldPlans(client);
      return (await client.query<R>(query)).rows;
    } catch (error) {
      if (!repeat || !isLost(error)) throw error;
      abandon(client); // the server's last message may arrive before the socket closes
      return ask(query, false);
    }
  };

  return {
    waiting: () => waiting,
    async query<R extends QueryResultRow>({ name, text }: Named, values: readonly unknown[]) {
      waiting++;
      try {
        return await retryingConflicts(() => ask<R>({ name, text, values: [...values] }, true));
      } finally {
        waiting--;
        resting = resting?.refresh() ?? setTimeout(rest, idleMs).unref();
      }
    },
    async close() {
      closed = true;
      clearTimeout(resting);
      await connecting?.catch(() => undefined);
      await current?.end();
    },
  };
};

/** Planning a page for each request costs as much as reading it; so plans are kept, but only for a few seconds. */
const planLifeMs = 10_000;

/** An instance at rest holds few sessions. */
const usualIdleMs = 30_000;

const connect = async (
  { databaseUrl, logger, timeoutMs = 10_000, database }: PipelinedReaderOptions,
  lost: (client: Client) => void,
): Promise<{ readonly client: Client; readonly generation: number }> => {
  const client = new Client({
    connectionString: databaseUrl,
    pipeline: true,
    keepAlive: true,
    query_timeout: timeoutMs,
    connectionTimeoutMillis: timeoutMs,
  });
  client.on('end', () => lost(client));
  client.on('error', (error) => {
    logger.warn({ err: error }, 'a read connection was lost');
    lost(client);
  });
  try {
    await client.connect();
    await client.query(plannedOnce);
    const generation = database ? await meetDatabase(database, client, () => lost(client)) : 0;
    return { client, generation };
  } catch (error) {
    void client.end();
    throw error;
  }
};

/** The server ends the session (SQLSTATE class 57P), or the connection ends without a message from it. */
const isLost = (error: unknown): boolean =>
  error instanceof DatabaseError
    ? (error.code?.startsWith('57P') ?? false)
    : error instanceof Error && !error.message.includes('timeout');
