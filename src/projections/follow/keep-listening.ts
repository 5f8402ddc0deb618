import { Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'pg';
import { withTimeoutOrNull } from '../../common/with-timeout.ts';
import { type DatabaseGeneration, meetDatabase } from '../database/database-generation.ts';
import { listenOn } from '../database/installation.ts';
import type { Logger } from '../database/pipelined-reader.ts';

type Listening = {
  readonly databaseUrl: string;
  readonly channel: string;
  readonly logger: Logger;
  readonly database?: DatabaseGeneration | undefined;
  readonly heard: (payload: string) => void;
  /** Called after LISTEN took effect: from then on nothing is missed. */
  readonly connected: () => Promise<void>;
  /** In milliseconds: how often the server is asked for a sign of life, and how long its answer may take. */
  readonly heartbeat?: { readonly everyMs: number; readonly silenceMs: number };
};

/** Without it, a connection whose route is gone would be noticed by the operating system, after hours. */
const usualHeartbeat = { everyMs: 2_000, silenceMs: 2_500 };

const farewellMs = 1_000;

/** A process that stood still for longer than the silence reads an answer that is there only after its timers. */
const unreadMs = 100;

/**
 * Follows the notifications of a channel on a connection of its own; when that is lost it tries again each second.
 * `close` never waits for a server that does not answer.
 */
export const keepListening = (dependencies: Listening): { close(): Promise<void> } => {
  const closing = new AbortController();
  const run = async () => {
    while (!closing.signal.aborted) {
      await listenOnce(dependencies, closing.signal).catch((error: unknown) => {
        if (closing.signal.aborted) return;
        dependencies.logger.warn({ err: error }, `cannot listen on ${dependencies.channel}`);
      });
      await delay(1000, undefined, { signal: closing.signal }).catch(() => undefined);
    }
  };
  const running = run();
  return {
    async close() {
      closing.abort();
      await running;
    },
  };
};

/** Runs until the connection ends. */
const listenOnce = async (
  { databaseUrl, channel, logger, database, heard, connected, heartbeat = usualHeartbeat }: Listening,
  signal: AbortSignal,
) => {
  const socket = new Socket();
  const client = new Client({
    connectionString: databaseUrl,
    stream: () => socket,
    keepAlive: true,
    connectionTimeoutMillis: 10_000,
  });
  const ended = new Promise((resolve) => client.once('end', resolve));
  const end = async () => {
    await withTimeoutOrNull(farewellMs, client.end());
    socket.destroy();
  };
  const leave = () => void end();
  client.on('error', (error) =>
    logger.warn({ err: error }, `the connection that listens on ${channel} was lost`),
  );
  let generation: number | undefined;
  client.on('notification', ({ payload }) => {
    if (generation === database?.current()) heard(payload ?? '');
  });
  const hangUp = () => void socket.destroy(); // what is still connecting cannot be ended in another way
  signal.addEventListener('abort', hangUp);
  try {
    await client.connect();
  } finally {
    signal.removeEventListener('abort', hangUp);
  }
  signal.addEventListener('abort', leave);
  let beating: NodeJS.Timeout | undefined;
  const beatLater = () => {
    beating = setTimeout(() => {
      const answer = client.query('select');
      void withTimeoutOrNull(heartbeat.silenceMs, answer)
        .then((inTime) => inTime ?? withTimeoutOrNull(unreadMs, answer))
        .then((last) => (last === null ? hangUp() : beatLater()));
    }, heartbeat.everyMs);
  };
  try {
    if (signal.aborted) return;
    if (database) generation = await meetDatabase(database, client, leave);
    await listenOn(client, channel);
    await connected();
    beatLater();
    await ended;
  } finally {
    signal.removeEventListener('abort', leave);
    await end();
    clearTimeout(beating); // after the last answer, which would begin it again
  }
};
