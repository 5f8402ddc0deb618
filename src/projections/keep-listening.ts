import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'pg';
import type { DatabaseGeneration } from './database-generation.ts';
import type { Logger } from './pipelined-reader.ts';

type Listening = {
  readonly databaseUrl: string;
  readonly channel: string;
  readonly logger: Logger;
  readonly database?: DatabaseGeneration;
  readonly heard: (payload: string) => void;
  /** Called after LISTEN took effect: from then on nothing is missed. */
  readonly connected: () => Promise<void>;
};

/** Follows the notifications of a channel on a connection of its own; when that is lost it tries again each second. */
export const keepListening = (dependencies: Listening): { close(): Promise<void> } => {
  const closing = new AbortController();
  const run = async () => {
    while (!closing.signal.aborted) {
      await listenOnce(dependencies, closing.signal).catch((error: unknown) =>
        dependencies.logger.warn({ err: error }, `cannot listen on ${dependencies.channel} now`),
      );
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
  { databaseUrl, channel, logger, database, heard, connected }: Listening,
  signal: AbortSignal,
) => {
  const client = new Client({
    connectionString: databaseUrl,
    keepAlive: true,
    connectionTimeoutMillis: 10_000,
  });
  const ended = new Promise((resolve) => client.once('end', resolve));
  const leave = () => void client.end();
  client.on('error', (error) =>
    logger.warn({ err: error }, `the connection that listens on ${channel} was lost`),
  );
  let generation: number | undefined;
  client.on('notification', ({ payload }) => {
    if (generation === database?.current()) heard(payload ?? '');
  });
  await client.connect();
  signal.addEventListener('abort', leave);
  let stopWatching: (() => void) | undefined;
  try {
    if (signal.aborted) return;
    generation = await database?.meet(client);
    stopWatching = database?.onChange(leave);
    await client.query(`listen ${channel}`);
    await connected();
    await ended;
  } finally {
    signal.removeEventListener('abort', leave);
    stopWatching?.();
    await client.end();
  }
};
