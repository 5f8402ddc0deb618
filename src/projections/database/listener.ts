import { Socket } from 'node:net';
import { Client, type QueryResultRow } from 'pg';
import { pause } from '../../common/backoff.ts';
import { withTimeoutOrNull } from '../../common/with-timeout.ts';
import { type DatabaseGeneration, meetDatabase } from './database-generation.ts';
import { listenOn } from './installation.ts';
import type { Logger } from './pipelined-reader.ts';

/** Who follows the notifications of a channel. */
export type Follower = {
  readonly heard: (payload: string) => void;
  /** Called after LISTEN took effect, on each new connection: from then on nothing is missed. */
  readonly connected?: () => Promise<void>;
};

/** The notifications of the database, for all parts of an instance, on one connection. */
export type Listener = {
  /** @returns a function that ends it */
  on(channel: string, follower: Follower): () => void;
  /** Asks on the same connection. @returns null where there is none, or no answer in time */
  ask<R extends QueryResultRow>(text: string, values?: readonly unknown[]): Promise<readonly R[] | null>;
  /** Never waits for a server that does not answer. */
  close(): Promise<void>;
};

export type ListenerDependencies = {
  readonly databaseUrl: string;
  readonly logger: Logger;
  readonly database?: DatabaseGeneration | undefined;
  /** In milliseconds: how often the server is asked for a sign of life, and how long an answer may take. */
  readonly heartbeat?: { readonly everyMs: number; readonly silenceMs: number };
};

/** Without it, a connection whose route is gone would be noticed by the operating system, after hours. */
const usualHeartbeat = { everyMs: 2_000, silenceMs: 2_500 };

const farewellMs = 1_000;

/** A process that stood still for longer than the silence reads an answer that is there only after its timers. */
const unreadMs = 100;

type Connection = Pick<Listener, 'ask'> & {
  begin(channel: string, follower: Follower): Promise<void>;
};

/** When the connection is lost, another one is tried each second. */
export const startListening = (dependencies: ListenerDependencies): Listener => {
  const followers = new Map<Follower, string>();
  const closing = new AbortController();
  let live: Connection | null = null;
  const listenOnce = () =>
    useConnection(dependencies, followers, closing.signal, async (connection) => {
      live = connection;
      await Promise.all([...followers].map(([follower, channel]) => connection.begin(channel, follower)));
    }).finally(() => (live = null));
  const run = async () => {
    while (!closing.signal.aborted) {
      await listenOnce().catch((error: unknown) => {
        if (!closing.signal.aborted)
          dependencies.logger.warn({ err: error }, 'cannot listen for notifications of the database');
      });
      await pause(1_000, closing.signal);
    }
  };
  const running = run();
  return {
    on(channel, follower) {
      followers.set(follower, channel);
      live?.begin(channel, follower).catch(() => undefined); // reported as a lost connection
      return () => void followers.delete(follower);
    },
    ask: async (text, values) => (await live?.ask(text, values)) ?? null,
    async close() {
      closing.abort();
      await running;
    },
  };
};

/** Runs until the connection ends. */
const useConnection = async (
  { databaseUrl, logger, database, heartbeat = usualHeartbeat }: ListenerDependencies,
  followers: ReadonlyMap<Follower, string>,
  signal: AbortSignal,
  connected: (connection: Connection) => Promise<void>,
) => {
  const socket = new Socket();
  const client = new Client({
    connectionString: databaseUrl,
    stream: () => socket,
    keepAlive: true,
    connectionTimeoutMillis: 10_000,
    pipeline: true,
    application_name: 'grantbook notifications',
  });
  const ended = new Promise((resolve) => client.once('end', resolve));
  const end = async () => {
    await withTimeoutOrNull(farewellMs, client.end());
    socket.destroy();
  };
  const leave = () => void end();
  client.on('error', (error) =>
    logger.warn({ err: error }, 'the connection that listens for notifications was lost'),
  );
  let generation: number | undefined;
  const channels = new Map<string, string>(); // by their names in the database
  client.on('notification', ({ channel: name, payload }) => {
    if (generation !== database?.current()) return;
    for (const [follower, channel] of followers)
      if (channel === channels.get(name)) follower.heard(payload ?? '');
  });
  const hangUp = () => void socket.destroy(); // what is still connecting cannot be ended in another way
  signal.addEventListener('abort', hangUp);
  try {
    await client.connect();
  } finally {
    signal.removeEventListener('abort', hangUp);
  }
  signal.addEventListener('abort', leave);
  const ask = async <R extends QueryResultRow>(text: string, values: readonly unknown[] = []) => {
    const answer = client.query<R>(text, [...values]);
    const inTime = await withTimeoutOrNull(heartbeat.silenceMs, answer);
    const last = inTime ?? (await withTimeoutOrNull(unreadMs, answer));
    if (last === null) hangUp();
    return last?.rows ?? null;
  };
  let beating: NodeJS.Timeout | undefined;
  const beatLater = () => {
    beating = setTimeout(() => void ask('select').then((rows) => rows && beatLater()), heartbeat.everyMs);
  };
  try {
    if (signal.aborted) return;
    if (database) generation = await meetDatabase(database, client, leave);
    await connected({
      ask,
      async begin(channel, follower) {
        try {
          channels.set(await listenOn(client, channel), channel);
          await follower.connected?.();
        } catch (error) {
          hangUp();
          throw error;
        }
      },
    });
    beatLater();
    await ended;
  } finally {
    signal.removeEventListener('abort', leave);
    await end();
    clearTimeout(beating); // after the last answer, which would begin it again
  }
};
