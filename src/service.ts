import { createServer } from 'node:net';
import type { Logger } from 'pino';
import { composeCommands, httpNeeds, migrationsDir } from './compose.ts';
import type { Config } from './config.ts';
import { registerDemoAddon } from './demo-addon.ts';
import { type DemoData, seedDemoData } from './demo-data.ts';
import { DataDirUnusable } from './embedded/data-dir.ts';
import { DataDirInUse } from './embedded/owner-lock.ts';
import { startEmbedded } from './embedded/start-embedded.ts';
import { buildServer } from './http/server.ts';
import { migrate } from './projections/migrate.ts';

export type Service = {
  readonly baseUrl: string;
  /** What the first click needs; null when the servers are real ones. */
  readonly demo: DemoData | null;
  /** Resolves with a sentence when something embedded has ended by itself. */
  readonly failed: Promise<string>;
  close(): Promise<void>;
};

type Closeable = () => Promise<unknown>;

/**
 * Starts the whole service: what is embedded, the tables, both sides, the workers, HTTP. What was started is closed
 * again when a later step fails.
 * @throws CannotStart
 */
export const startService = async (config: Config, logger: Logger): Promise<Service> => {
  const closers: Closeable[] = [];
  const close = async () => {
    for (const closer of closers.splice(0).toReversed()) await closer();
  };
  try {
    return { ...(await open(config, logger, closers)), close };
  } catch (error) {
    await close();
    const isDataDir = error instanceof DataDirInUse || error instanceof DataDirUnusable;
    throw isDataDir ? new CannotStart(error.message, { cause: error }) : error;
  }
};

const open = async (
  config: Config,
  logger: Logger,
  closers: Closeable[],
): Promise<Omit<Service, 'close'>> => {
  const port = await freePort(config);
  const baseUrl = config.baseUrl ?? `http://${hostInUrl(config.host)}:${port}`;
  const need = { postgres: config.databaseUrl === null, eventStore: config.eventStoreUrl === null };
  const embedded = await startEmbedded({ dataDir: config.dataDir, need, logger });
  closers.push(embedded.close);
  const servers = {
    databaseUrl: config.databaseUrl ?? embedded.databaseUrl ?? '',
    eventStoreUrl: config.eventStoreUrl ?? embedded.eventStoreUrl ?? '',
  };
  await migrate(servers.databaseUrl, migrationsDir).catch((error: unknown) => {
    const isAway = config.databaseUrl !== null && systemCall(error) !== undefined;
    throw isAway ? cannotStart('the server of DATABASE_URL cannot be reached', error) : error;
  });

  const core = await composeCommands(config, servers, logger);
  closers.push(() => core.close());
  // Nobody gets an answer from a dead server: who is waiting is told so at once, instead of after all retries.
  void embedded.failed.then(() => core.store.close());
  const workers = core.startWorkers();
  closers.push(() => workers.stop());
  const demo = need.eventStore
    ? await seedDemoData({ commands: core.commands, dataDir: config.dataDir, baseUrl })
    : null;

  const app = buildServer(httpNeeds(core, workers, baseUrl, config, logger));
  if (demo) registerDemoAddon(app, { baseUrl, clientId: demo.clientId });
  closers.push(() => app.close());
  await app.listen({ host: config.host, port });
  embedded.announce(baseUrl);
  await workers.ready;
  return { baseUrl, demo, failed: embedded.failed };
};

/** A setting leads nowhere on this machine; the message names it. */
export class CannotStart extends Error {
  override readonly name = 'CannotStart';
}

type SystemError = { readonly syscall?: string; readonly code?: string };

const systemCall = (error: unknown): string | undefined => (error as SystemError).syscall;

const cannotStart = (what: string, cause: unknown): CannotStart =>
  new CannotStart(`${what} (${(cause as SystemError).code ?? 'failure'})`, { cause });

/** Found out before anything is started: links need the port, and a busy one should be said at once. */
const freePort = ({ host, port }: Config): Promise<number> =>
  new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', (error: NodeJS.ErrnoException) =>
      reject(
        error.code === 'EADDRINUSE'
          ? new CannotStart(
              `PORT ${port} on ${host} is taken by another program: stop it, or set PORT to another number (0 picks a free one)`,
            )
          : cannotStart(`HOST ${host} with PORT ${port} cannot be listened on`, error),
      ),
    );
    probe.listen({ host, port }, () => {
      const address = probe.address();
      probe.close(() => resolve(typeof address === 'object' && address ? address.port : port));
    });
  });

/** Where a browser on this machine reaches a server that listens on every address. */
const hostInUrl = (host: string): string =>
  host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host.includes(':') ? `[${host}]` : host;
