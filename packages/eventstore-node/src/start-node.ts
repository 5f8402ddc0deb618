import { randomUUID } from 'node:crypto';
import { Pool } from 'pg';
import { connectionString, guarded, type NodeAccess } from './access.ts';
import { makeAppend } from './append.ts';
import { makeBatchAppend } from './batch-append.ts';
import { makeCommits } from './commits.ts';
import { makeGossip, makeSupportedMethods } from './discovery.ts';
import type { Faults } from './faults.ts';
import { makeFaults } from './faults.ts';
import { makeHeads } from './heads.ts';
import { makeLog } from './log.ts';
import { makeOpenCalls } from './open-calls.ts';
import { makePerform } from './perform.ts';
import { makeRead } from './read.ts';
import { makeRemovals } from './remove.ts';
import { scavenge, schema, sessionOptions } from './schema.ts';
import { bindServer, makeServer, stopServer } from './server.ts';
import { makeStamp } from './stamp.ts';
import type { Writer } from './writer.ts';
import { startWriter } from './writer.ts';
import type { WriterConnection } from './writer-connection.ts';
import { connectWriter } from './writer-connection.ts';
import { writeFirstEvent } from './first-event.ts';

export type NodeOptions = {
  /** A database of its own; the node creates its tables in the schema `eventstore`. */
  readonly databaseUrl: string;
  /** 0, the default, selects a free port. */
  readonly port?: number;
  readonly host?: string;
  /** Called with the cause of answers such as "not ready". */
  readonly onError?: (error: unknown) => void;
  /** Maximum bytes of one append, 1 MiB by default. */
  readonly maxAppendSize?: number;
  /** Maximum bytes of one event; unlimited by default. */
  readonly maxAppendEventSize?: number;
  /** The first position of an empty log; a value above 2^53 reveals code that treats positions as numbers. */
  readonly firstPosition?: bigint;
  /** How long to wait for another node to release the database, 3 s by default. */
  readonly lockPatienceMs?: number;
  /** Whether this is a production environment: the node then refuses to start unless `force` is set. */
  readonly production?: boolean;
  /** Also tells Grantbook that it may use this node in production. */
  readonly force?: boolean;
  /** Without it, every local client is served, over unencrypted HTTP/2. */
  readonly access?: NodeAccess;
};

export type EmbeddedNode = {
  readonly port: number;
  /** `esdb://127.0.0.1:PORT?tls=false`, or with the secret and the authority of `access`. */
  readonly url: string;
  readonly faults: Faults;
  /** Number of transactions and requests so far: shows how well groups are filled. */
  stats(): ReturnType<Writer['stats']>;
  /** Ends every call with UNAVAILABLE, finishes submitted requests, and releases the database. */
  close(): Promise<void>;
};

export const defaultMaxAppendSize = 1_048_576;

/**
 * Starts an EventStoreDB-compatible node on a Postgres database. Acknowledged events are on disk (if `fsync` is on in
 * the database).
 * @throws AnotherNode when a node already serves that database
 */
export const startNode = async (options: NodeOptions): Promise<EmbeddedNode> => {
  if (options.production && !options.force)
    throw new Error('the embedded event store node is not for production: set EVENTSTORE_URL, or force it');
  const connection = await connectWriter(options.databaseUrl, options.lockPatienceMs);
  const pool = new Pool({
    connectionString: options.databaseUrl,
    max: readConnections,
    options: sessionOptions,
  });
  pool.on('error', (error) => options.onError?.(error));
  try {
    await connection.use(async (client) => {
      await client.query(schema);
      await client.query(scavenge);
    });
    return await serve(options, connection, pool);
  } catch (error) {
    await Promise.all([connection.close(), pool.end()]);
    throw error;
  }
};

const readConnections = 4;

const serve = async (
  options: NodeOptions,
  connection: WriterConnection,
  pool: Pool,
): Promise<EmbeddedNode> => {
  const { host = '127.0.0.1', port = 0, onError = () => undefined, access } = options;
  const log = makeLog(pool);
  const newest = await log.end();
  const heads = makeHeads((names) => log.heads(names));
  const commits = makeCommits(newest.position);
  const stamp = makeStamp(newest, options.firstPosition ?? defaultFirstPosition);
  const writer = startWriter({ connection, log, heads, commits, stamp, onError });
  if (newest.position === 0n) await writeFirstEvent(writer);
  const { faults, take, whenDenied } = makeFaults();
  const calls = makeOpenCalls();
  const perform = makePerform(writer, take);
  const limits = {
    maxAppendSize: options.maxAppendSize ?? defaultMaxAppendSize,
    ...(options.maxAppendEventSize === undefined ? {} : { maxAppendEventSize: options.maxAppendEventSize }),
  };
  let bound = port;
  const streams = {
    append: makeAppend(perform, limits),
    batchAppend: calls.tracked(makeBatchAppend(perform, limits)),
    read: calls.tracked(makeRead({ log, heads, commits, take, whenDenied }, onError)),
    ...makeRemovals(writer, take),
  };
  const server = makeServer({
    streams: access ? guarded(streams, access) : streams,
    // The client calls these without its secret, as with a real server; they reveal nothing about the log.
    features: { getSupportedMethods: makeSupportedMethods(take, options.force) },
    gossip: { read: makeGossip(take, randomUUID(), host, () => bound) },
  });
  bound = await bindServer(server, { host, port, ...access });
  const close = async (): Promise<void> => {
    await writer.close();
    calls.endAll();
    await stopServer(server);
    await Promise.all([connection.close(), pool.end()]);
  };
  let closing: Promise<void> | undefined;
  return {
    port: bound,
    url: connectionString(host, bound, access),
    faults,
    stats: () => writer.stats(),
    close: () => (closing ??= close()),
  };
};

const defaultFirstPosition = 4_211n;
