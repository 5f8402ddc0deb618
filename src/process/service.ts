import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Servers } from '../compose/stores.ts';
import type { Config } from '../config/config.ts';
import { DataDirUnusable } from '../embedded/data-dir.ts';
import { DataDirInUse } from '../embedded/owner-lock.ts';
import { startEmbedded } from '../embedded/start-embedded.ts';
import { EventStoreUnavailable, UnreleasedLog } from '../eventstore/event-store.ts';
import { migrate } from '../projections/database/migrate.ts';
import {
  DatabaseForeign,
  DatabaseTooNew,
  MigrationEdited,
} from '../projections/database/migration-records.ts';
import { SchemaUnwritable } from '../projections/database/own-schema.ts';
import type { Closeable, Observing, Opening, OpenService, Start } from './open-service.ts';
import { migrationsDir } from './package-root.ts';
import { CannotStart, freePort, reachDatabase, refuseUnreleasedLog, unlessStopped } from './start-checks.ts';

export type Service = OpenService & {
  /** Announces the stop, continues to answer for `SHUTDOWN_DELAY`, and then closes. */
  stop(): Promise<void>;
  close(): Promise<void>;
};

const usualObserving: Observing = { telemetry: null, linesLost: () => 0 };

/** Starts everything. If a step fails, or `signal` stops it, what was started is closed again. @throws CannotStart */
export const startService = async (
  config: Config,
  logger: Logger,
  signal: AbortSignal,
  observing: Observing = usualObserving,
): Promise<Service> => {
  const { telemetry } = observing;
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
    const start = { config, logger, signal, ...observing };
    return { ...(await open(start, closers, stopping.signal)), stop, close };
  } catch (error) {
    await close();
    const isSaid = sentences.some((kind) => error instanceof kind);
    throw isSaid ? new CannotStart((error as Error).message, { cause: error }) : error;
  }
};

/** Errors whose message already says what to do. */
const sentences = [
  DataDirInUse,
  DataDirUnusable,
  DatabaseForeign,
  MigrationEdited,
  DatabaseTooNew,
  SchemaUnwritable,
  EventStoreUnavailable,
  UnreleasedLog,
];

const open = async (start: Start, closers: Closeable[], stopping: AbortSignal): Promise<OpenService> => {
  const { config } = start;
  const port = await freePort(config);
  const starting = startServers(start, closers);
  const loading = import('./open-service.ts'); // takes a second, in which the servers start
  loading.catch(() => undefined); // said below, unless the servers do not start
  const embedded = await starting;
  await prepareDatabase(start, embedded.servers);
  const { openService } = await loading;
  return openService(start, { embedded, port, stopping }, closers);
};

const startServers = async (
  { config, logger, signal }: Start,
  closers: Closeable[],
): Promise<Opening['embedded']> => {
  const need = { postgres: config.databaseUrl === null, eventStore: config.eventStoreUrl === null };
  const embedded = await startEmbedded({ dataDir: config.dataDir, need, logger });
  closers.push(embedded.close);
  signal.throwIfAborted();
  const servers: Servers = {
    databaseUrl: config.databaseUrl ?? embedded.databaseUrl ?? '',
    eventStoreUrl: config.eventStoreUrl ?? embedded.eventStoreUrl ?? '',
  };
  return { ...embedded, servers };
};

const prepareDatabase = async (
  { config, logger, signal }: Start,
  { databaseUrl }: Servers,
): Promise<void> => {
  if (config.databaseUrl !== null) await unlessStopped(signal, reachDatabase(config.databaseUrl, logger));
  const told = (progress: object) => logger.info(progress, 'migrating the database');
  const beforeFirst = refuseUnreleasedLog(config.eventStoreUrl);
  await unlessStopped(signal, migrate(databaseUrl, migrationsDir, { told, beforeFirst }));
};
