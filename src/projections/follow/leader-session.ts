import { Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'pg';
import { withTimeoutOrNull } from '../../common/with-timeout.ts';
import { type DatabaseGeneration, DatabaseReadOnly, meetDatabase } from '../database/database-generation.ts';
import { leaderLock, listenOn, notifyOn } from '../database/installation.ts';
import type { LeadershipBounds } from './leadership-bounds.ts';
import type { Tx } from './projection.ts';
import type { Logger } from '../database/pipelined-reader.ts';
import { isRefusal, limitSession } from '../database/session-limits.ts';

/** A connection that holds the lock of a leader, or tries to get it. */
export type LeaderSession = {
  readonly tx: Tx;
  /** Aborted with a ConnectionLost as soon as either side has given up the connection. */
  readonly lost: AbortSignal;
  tryLock(): Promise<boolean>;
  /**
   * Whether the server cannot have given the lock to anybody else yet. False for a process that stood still for longer
   * than the server bears, before it has read that its connection is closed.
   */
  stillHolds(): boolean;
  /** Waits until it is time to try again: after a while, or when the leader announces that it stops. */
  standBy(): Promise<void>;
  /**
   * Releases the lock, notifies the standbys, and closes the connection. Never waits for a server that does not answer.
   */
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

const LEADERSHIP_CHANNEL = 'grantbook_leadership';
const farewellMs = 1_000;

/** @throws when the server cannot be reached */
export const openLeaderSession = async (dependencies: SessionDependencies): Promise<LeaderSession> => {
  const { name, bounds, signal, database } = dependencies;
  const { client, socket } = makeClient(dependencies);
  const lost = new AbortController();
  let speaking = 0;
  let holds = false;
  let listens = false;
  let heard = -Infinity;
  let freed = () => {};
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
  const locks = async (): Promise<boolean> =>
    (await spoken(() => client.query<{ locked: boolean }>(tryLock(name)))).rows[0]?.locked === true;
  const listen = async (verb: 'listen' | 'unlisten'): Promise<void> => {
    await spoken(() => listenOn(client, LEADERSHIP_CHANNEL, verb));
    listens = verb === 'listen';
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
  client.on('notification', ({ payload }) => payload === name && freed());
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
    async tryLock() {
      holds = await locks();
      if (!holds && !listens) {
        await listen('listen');
        holds = await locks(); // it may have been given up before
      }
      // The server wakes every session that listens for every message of any channel: a leader has nothing to hear.
      if (holds && listens) await listen('unlisten');
      return holds;
    },
    stillHolds: () => holds && !lost.signal.aborted && performance.now() - heard < bounds.silenceMs,
    async standBy() {
      const woken = new AbortController();
      const wake = () => woken.abort();
      freed = wake;
      // Not AbortSignal.any: Node 20 keeps memory for each call as long as a source signal lives, and this is repeated
      // for weeks.
      const ends = [signal, lost.signal];
      for (const end of ends) end.addEventListener('abort', wake);
      if (ends.some(({ aborted }) => aborted)) wake();
      await delay(bounds.pollMs, undefined, { signal: woken.signal }).catch(() => undefined);
      for (const end of ends) end.removeEventListener('abort', wake);
    },
    async close() {
      if (holds && !lost.signal.aborted) await client.query(giveUp(name)).catch(lose);
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
