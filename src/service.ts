import type { FastifyInstance } from 'fastify';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from 'pino';
import { inContext } from './commands/commands.ts';
import { composeCommands, httpNeeds, migrationsDir, type Core } from './compose/compose.ts';
import type { Config } from './config.ts';
import { registerDemoAddon } from './demo-addon.ts';
import { type DemoData, seedDemoData } from './demo-data.ts';
import { DataDirUnusable } from './embedded/data-dir.ts';
import { DataDirInUse } from './embedded/owner-lock.ts';
import { startEmbedded } from './embedded/start-embedded.ts';
import { buildManagementServer } from './http/management-server.ts';
import { buildServer } from './http/server.ts';
import { describeMismatch } from './projections/compare-with-log.ts';
import { DatabaseTooNew, migrate, MigrationEdited } from './projections/migrate.ts';
import type { Telemetry } from './tracing/telemetry.ts';
import { nextTraceparent } from './tracing/traceparent.ts';
import {
  CannotStart,
  freePort,
  hostInUrl,
  openPersonalKeys,
  reachDatabase,
  reachEventStore,
  unlessStopped,
} from './start-checks.ts';

export type Service = {
  readonly baseUrl: string;
  /** What the first click needs; null when the servers are real ones. */
  readonly demo: DemoData | null;
  readonly hasKafka: boolean;
  /** Resolves with what is to be said when something embedded has ended by itself, or the event store has gone back. */
  readonly failed: Promise<string>;
  /** Where health and metrics are, when they have a port of their own. */
  readonly managementUrl: string | null;
  /** Says that it stops, goes on answering for `SHUTDOWN_DELAY`, and closes then. */
  stop(): Promise<void>;
  close(): Promise<void>;
};

/** What the process brings. */
type Beside = {
  /** Where spans and metrics go; null: nowhere. */
  readonly telemetry: Telemetry | null;
  /** Lines of the log that could not be written. */
  readonly linesLost: () => number;
};

const usualBeside: Beside = { telemetry: null, linesLost: () => 0 };

type Closeable = () => Promise<unknown>;

/**
 * Starts the whole service: what is embedded, the tables, both sides, the workers, HTTP. What was started is closed
 * again when a later step fails, or when `signal` says to stop before everything runs.
 * @throws CannotStart
 */
export const startService = async (
  config: Config,
  logger: Logger,
  signal: AbortSignal,
  beside: Beside = usualBeside,
): Promise<Service> => {
  const { telemetry } = beside;
  const closers: Closeable[] = telemetry ? [() => telemetry.stop()] : [];
  const close = async () => {
    for (const closer of closers.splice(0).toReversed()) await closer();
  };
  const stopping = new AbortController();
  const stop = async () => {
    stopping.abort();
    await pause(config.http.shutdownDelay * 1000);
    await close();
  };
  try {
    const start = { config, logger, signal, ...beside };
    return { ...(await open(start, closers, stopping.signal)), stop, close };
  } catch (error) {
    await close();
    const isSaid = sentences.some((kind) => error instanceof kind);
    throw isSaid ? new CannotStart((error as Error).message, { cause: error }) : error;
  }
};

/** What says by itself what to do. */
const sentences = [DataDirInUse, DataDirUnusable, MigrationEdited, DatabaseTooNew];

type Start = Beside & {
  readonly config: Config;
  readonly logger: Logger;
  readonly signal: AbortSignal;
};

const open = async (
  { config, logger, signal, telemetry, linesLost }: Start,
  closers: Closeable[],
  stopping: AbortSignal,
): Promise<Omit<Service, 'close' | 'stop'>> => {
  const port = await freePort(config);
  const baseUrl = config.baseUrl ?? `http://${hostInUrl(config.host)}:${port}`;
  const need = { postgres: config.databaseUrl === null, eventStore: config.eventStoreUrl === null };
  const embedded = await startEmbedded({ dataDir: config.dataDir, need, logger });
  closers.push(embedded.close);
  signal.throwIfAborted();
  const servers = {
    databaseUrl: config.databaseUrl ?? embedded.databaseUrl ?? '',
    eventStoreUrl: config.eventStoreUrl ?? embedded.eventStoreUrl ?? '',
  };
  if (config.databaseUrl !== null) await unlessStopped(signal, reachDatabase(config.databaseUrl));
  await unlessStopped(
    signal,
    migrate(servers.databaseUrl, migrationsDir, (progress) =>
      logger.info(progress, 'migrating the database'),
    ),
  );

  const core = await composeCommands(config, servers, logger, telemetry);
  closers.push(() => core.close());
  await unlessStopped(signal, openPersonalKeys(core.personal.keeping));
  // Nobody gets an answer from a dead server: who is waiting is told so at once, instead of after all retries.
  void embedded.failed.then(() => core.store.close());
  if (config.eventStoreUrl !== null)
    await unlessStopped(
      signal,
      reachEventStore({ store: core.store, url: config.eventStoreUrl, logger }, signal),
    );
  await unlessStopped(signal, refuseOlderLog(core));
  await unlessStopped(signal, core.noteEventTypes());
  const workers = core.startWorkers(baseUrl);
  closers.push(() => workers.stop());
  const demo = need.eventStore
    ? await unlessStopped(
        signal,
        seedDemoData({
          commands: inContext(core.commands, { traceparent: nextTraceparent() }),
          dataDir: config.dataDir,
          baseUrl,
        }).catch((err: unknown) => {
          logger.warn({ err }, 'there is no demo in DATA_DIR/demo.json: it could not be seeded');
          return null;
        }),
      )
    : null;

  const needs = httpNeeds(core, workers, baseUrl, config, logger, stopping, linesLost);
  const { managementPort } = config.http;
  const management = managementPort === null ? null : buildManagementServer(needs);
  const app = buildServer(needs, management);
  if (demo) registerDemoAddon(app, { baseUrl, clientId: demo.clientId });
  const managementUrl = management && (await listenForManagement(management, config, closers));
  closers.push(() => app.close());
  await app.listen({ host: config.host, port });
  embedded.announce(baseUrl);
  await unlessStopped(signal, workers.ready);
  const failed = Promise.race([
    embedded.failed.then((reason) => `${reason}; stopping. A new start recovers.`),
    workers.logLost.then((sentence) => `stopping: ${sentence}`),
  ]);
  return { baseUrl, managementUrl, demo, hasKafka: config.kafka !== null, failed };
};

/** Closed after the port of everything else, so that it says to the end what is going on. */
const listenForManagement = async (
  management: FastifyInstance,
  { host, http: { managementPort } }: Config,
  closers: Closeable[],
): Promise<string> => {
  closers.push(() => management.close());
  try {
    await management.listen({ host, port: managementPort ?? 0 });
  } catch (error) {
    throw new CannotStart(
      `MANAGEMENT_PORT ${managementPort} on ${host} cannot be listened on (${(error as NodeJS.ErrnoException).code})`,
      { cause: error },
    );
  }
  return `http://${hostInUrl(host)}:${(management.server.address() as AddressInfo).port}`;
};

/** A node that follows may be behind its leader for a moment. */
const logPatience = 3_000;

/** @throws CannotStart when the log has not got what the tables were built from: what would be decided on it is never papered over */
const refuseOlderLog = async (core: Core): Promise<void> => {
  const mismatch = await core.logMismatch(logPatience);
  if (mismatch) throw new CannotStart(describeMismatch(mismatch));
};
