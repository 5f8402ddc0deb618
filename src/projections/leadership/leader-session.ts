import { Socket } from 'node:net';
import { Client } from 'pg';
import { withTimeoutOrNull } from '../../common/with-timeout.ts';
import { type DatabaseGeneration, DatabaseReadOnly, meetDatabase } from '../database/database-generation.ts';
import { leaderLock, notifyOn } from '../database/installation.ts';
import type { LeadershipBounds } from './leadership-bounds.ts';
import type { Tx } from '../follow/projection.ts';
import type { Logger } from '../database/pipelined-reader.ts';
import { isRefusal, limitSession } from '../database/session-limits.ts';

/** The lock of a leader, held or to be got, and the connection that it is on. */
export type LeaderSession = Pick<LeaderConnection, 'tx' | 'lost'> & {
  tryLock(): Promise<boolean>;
  /**
   * Whether the server cannot have given the lock to anybody else yet. False for a process that stood still for longer
   * than the server bears, before it has read that its connection is closed.
   */
  stillHolds(): boolean;
  /**
   * Releases the lock, notifies the standbys, and closes the connection. Never waits for a server that does not answer.
   */
  close(): Promise<void>;
};

export type LeaderConnection = {
  readonly tx: Tx;
  /** Aborted with a ConnectionLost as soon as either side has given up the connection. */
  readonly lost: AbortSignal;
  /** Gives it up: whatever waits for an answer fails at once. */
  readonly lose: (error: unknown) => void;
  /** When the newest question that was answered was asked, as `performance.now()`. */
  readonly heard: () => number;
  close(): Promise<void>;
};

export type SessionDependencies = {
  readonly databaseUrl: string;
  /** To notice when another database is the one in use. */
  readonly database?: DatabaseGeneration | undefined;
  /** Name of the checkpoint. */
  readonly name: string;
  /** The name of this instance, for operators who list the server's sessions. */
  readonly instance?: string;
  readonly bounds: LeadershipBounds;
  readonly logger: Logger;
  /** Aborted when this instance stops: then nothing waits for a server that may not answer. */
  readonly signal: AbortSignal;
};

/** The server has ended the session, or does not answer: its lock is free, or will be in a moment. */
export class ConnectionLost extends Error {
  override readonly name = 'ConnectionLost';
  /** PostgreSQL's code of a failed connection. */
  readonly code = '08006';
}

export const LEADERSHIP_CHANNEL = 'grantbook_leadership';
const farewellMs = 1_000;

/** @throws (rejects) when the server cannot be reached */
export type OpenLeaderSession = (dependencies: SessionDependencies) => Promise<LeaderSession>;

export const openLeaderSession: OpenLeaderSession = async (dependencies) =>
  sessionOver(await openLeaderConnection(dependencies), dependencies);

export const sessionOver = (
  connection: LeaderConnection,
  { name, bounds }: Pick<SessionDependencies, 'name' | 'bounds'>,
): LeaderSession => {
  const { tx, lost, lose, heard } = connection;
  let holds = false;
  return {
    tx,
    lost,
    async tryLock() {
      holds = (await tx.query<{ locked: boolean }>(tryLock(name))).rows[0]?.locked === true;
      return holds;
    },
    stillHolds: () => holds && !lost.aborted && performance.now() - heard() < bounds.silenceMs,
    async close() {
      if (holds && !lost.aborted) await tx.query(giveUp(name)).catch(lose);
      await connection.close();
    },
  };
};

/** @throws when the server cannot be reached */
export const openLeaderConnection = async (dependencies: SessionDependencies): Promise<LeaderConnection> => {
  const { bounds, signal, database } = dependencies;
  const { client, socket } = makeClient(dependencies);
  const lost = new AbortController();
  let speaking = 0;
  let heard = -Infinity;
  let generation = 0;

  /** Closes the connection, so that everything that waits for an answer fails at once. */
  const lose = (error: unknown) => {
    if (!lost.signal.aborted) lost.abort(new ConnectionLost(describe(error), { cause: error }));
    socket.destroy();
  };
  const spoken = async <T>(ask: () => Promise<T>): Promise<T> => {
    sendTogether(socket);
    speaking += 1;
    const asked = performance.now();
    try {
      const answer = await ask();
      heard = asked; // the server's patience began later
      return answer;
    } catch (error) {
      if (!isRefusal(error)) lose(error);
      throw error;
    } finally {
      speaking -= 1;
    }
  };
  const beat = async () => {
    const { rows } = await client.query<{ heartbeat: string }>(heartbeat(bounds));
    if (rows[0]?.heartbeat !== 'on') return;
    lose(new DatabaseReadOnly());
    database?.demoted(generation);
  };
  // A separate timer, so that heartbeats continue while the leader is busy elsewhere, for example in a reaction's
  // handler.
  const heart = setInterval(() => {
    if (speaking === 0) spoken(beat).catch(() => undefined); // reported by `lost`
  }, bounds.heartbeatMs);

  client.on('error', lose);
  client.on('end', () => lose(new Error('the server closed the connection')));
  const hangUp = () => void socket.destroy();
  signal.addEventListener('abort', hangUp);
  try {
    await client.connect();
    if (database) generation = await meetDatabase(database, client, lose);
    await limitSession(client, dependencies);
    signal.throwIfAborted();
  } catch (error) {
    clearInterval(heart);
    hangUp();
    throw error;
  } finally {
    signal.removeEventListener('abort', hangUp);
  }
  return {
    tx: {
      query: ((...args: Parameters<Tx['query']>) =>
        spoken(() => client.query(...args) as unknown as Promise<unknown>)) as Tx['query'],
    },
    lost: lost.signal,
    lose,
    heard: () => heard,
    async close() {
      clearInterval(heart);
      if (lost.signal.aborted) return;
      await withTimeoutOrNull(farewellMs, client.end());
      socket.destroy();
    },
  };
};

/** Statements that are sent in one turn go in one packet: the server wakes up once for them. */
const sendTogether = (socket: Socket): void => {
  if (socket.writableCorked > 0) return;
  socket.cork();
  process.nextTick(() => socket.uncork());
};

/** We make the socket ourselves, so that we can destroy it without the protocol's termination message. */
const makeClient = ({ databaseUrl, name, instance, bounds }: SessionDependencies) => {
  const socket = new Socket();
  const client = new Client({
    connectionString: databaseUrl,
    stream: () => socket,
    pipeline: true,
    application_name: ['grantbook', name, instance].filter(Boolean).join(' '),
    connectionTimeoutMillis: 10_000,
    query_timeout: bounds.statementMs + bounds.silenceMs, // the server cancels a statement before that
  });
  return { client, socket };
};

const describe = (error: unknown): string =>
  `the connection was lost: ${error instanceof Error ? error.message : String(error)}`;

/** A session lock: the server releases it when the session ends, however it ends. */
const tryLock = (name: string) => ({
  text: `select pg_try_advisory_lock(${leaderLock('$1')}) as locked`,
  values: [name],
});

const giveUp = (name: string) => ({
  text: `select pg_advisory_unlock(${leaderLock('$1')}), ${notifyOn(LEADERSHIP_CHANNEL, '$1')}`,
  values: [name],
  query_timeout: farewellMs,
});

/** Sent only when no other statement is running, so that it is answered at once or never. A leader must be able to write. */
const heartbeat = ({ silenceMs }: LeadershipBounds) => ({
  text: `select current_setting('transaction_read_only') as heartbeat`,
  query_timeout: silenceMs,
});
