import type { FastifyInstance } from 'fastify';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from 'pino';
import { inContext } from '../commands/commands.ts';
import { httpParts } from '../compose/http.ts';
import { composeServer } from '../compose/server.ts';
import { composeService, type ServiceCore } from '../compose/service.ts';
import type { Servers } from '../compose/stores.ts';
import { startWorkers } from '../compose/workers.ts';
import type { Config } from '../config/config.ts';
import { registerDemoAddon } from '../../demo/demo-addon.ts';
import { type DemoData, seedDemoData } from '../../demo/demo-data.ts';
import { DataDirUnusable } from '../embedded/data-dir.ts';
import { DataDirInUse } from '../embedded/owner-lock.ts';
import { startEmbedded } from '../embedded/start-embedded.ts';
import { EventStoreUnavailable } from '../eventstore/event-store.ts';
import { buildManagementServer } from '../http/requests/base-server.ts';
import { DatabaseTooNew, migrate, MigrationEdited } from '../projections/database/migrate.ts';
import { migrationsDir } from './package-root.ts';
import type { Telemetry } from '../observability/tracing/telemetry.ts';
import { nextTraceparent } from '../observability/tracing/traceparent.ts';
import {
  CannotStart,
  cannotListen,
  freePort,
  hostInUrl,
  openPersonalKeys,
  reachDatabase,
  reachEventStore,
  reportProviders,
  refuseOlderLog,
  unlessStopped,
} from './start-checks.ts';

export type Service = {
  readonly baseUrl: string;
  /** Data for the first click; null when the servers are external. */
  readonly demo: DemoData | null;
  readonly hasKafka: boolean;
  /** False until the first operator exists: nobody can sign in to do anything yet. Not asked where demo data is there. */
  readonly hasOperator: boolean;
  /** Resolves with a message when an embedded server has ended unexpectedly, or the event store has lost events. */
  readonly failed: Promise<string>;
  readonly managementUrl: string | null;
  /** Announces the stop, continues to answer for `SHUTDOWN_DELAY`, and then closes. */
  stop(): Promise<void>;
  close(): Promise<void>;
};

type Observing = {
  /** Where spans and metrics are sent; null: nowhere. */
  readonly telemetry: Telemetry | null;
  /** The number of log lines that could not be written. */
  readonly linesLost: () => number;
};

const usualObserving: Observing = { telemetry: null, linesLost: () => 0 };

type Closeable = () => Promise<unknown>;

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
const sentences = [DataDirInUse, DataDirUnusable, MigrationEdited, DatabaseTooNew, EventStoreUnavailable];

type Start = Observing & {
  readonly config: Config;
  readonly logger: Logger;
  readonly signal: AbortSignal;
};

const open = async (
  start: Start,
  closers: Closeable[],
  stopping: AbortSignal,
): Promise<Omit<Service, 'close' | 'stop'>> => {
  const { config, signal, linesLost } = start;
  const port = await freePort(config);
  const baseUrl = config.baseUrl ?? `http://${hostInUrl(config.host)}:${port}`;
  const embedded = await startServers(start, closers);
  await prepareDatabase(start, embedded.servers);
  const service = await openService(start, embedded, closers);
  const demo = config.eventStoreUrl === null ? await seedDemo(start, service, baseUrl) : null;
  const parts = httpParts(service, () => workers, { baseUrl, stopping, linesLost });
  const { managementPort } = config.http;
  const management = managementPort === null ? null : buildManagementServer(parts);
  const app = composeServer(parts, management);
  if (demo) registerDemoAddon(app, { baseUrl, clientId: demo.clientId });
  // Before the workers lead: it keeps the process busy, on a busy machine for longer than the database waits for the
  // heartbeat of a leader.
  await Promise.all([app.ready(), management?.ready()]);
  const workers = await startWorkers(service, baseUrl);
  closers.push(() => workers.stop());
  const managementUrl = management && (await listenForManagement(management, config, closers));
  closers.push(() => app.close());
  await app.listen({ host: config.host, port }).catch((error: NodeJS.ErrnoException) => {
    throw cannotListen({ ...config, port }, error);
  });
  embedded.announce(baseUrl, managementUrl || undefined);
  void reportProviders(service.federation, service.logger);
  await unlessStopped(signal, workers.ready);
  const hasOperator = demo !== null || (await findOperators(service)).rows.length > 0;
  const failed = Promise.race([
    embedded.failed.then((reason) => `${reason}; stopping. Restart the service to recover.`),
    workers.logLost.then((sentence) => `stopping: ${sentence}`),
  ]);
  const state = { hasKafka: config.kafka !== null, hasOperator };
  return { baseUrl, managementUrl, demo, ...state, failed };
};

const findOperators = ({ readModels }: Pick<ServiceCore, 'readModels'>) =>
  readModels.users({ role: 'operator' }, { after: null, limit: 1 });

type Embedded = Awaited<ReturnType<typeof startServers>>;

const startServers = async ({ config, logger, signal }: Start, closers: Closeable[]) => {
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
  const tell = (progress: object) => logger.info(progress, 'migrating the database');
  await unlessStopped(signal, migrate(databaseUrl, migrationsDir, tell));
};

/** Composes the service, and checks whether it may be used. */
const openService = async (
  { config, logger, signal, telemetry }: Start,
  embedded: Embedded,
  closers: Closeable[],
): Promise<ServiceCore> => {
  const service = await composeService(config, embedded.servers, logger, telemetry);
  closers.push(() => service.close());
  const { store } = service;
  await unlessStopped(signal, openPersonalKeys(service.personal.keeping));
  // A dead server never answers: closing the store rejects waiting calls at once instead of after all retries.
  void embedded.failed.then(() => store.close());
  const { eventStoreUrl: url, environment } = config;
  const isProduction = environment === 'production';
  if (url !== null)
    await unlessStopped(signal, reachEventStore({ store, url, logger, isProduction }, signal));
  await unlessStopped(signal, refuseOlderLog(service));
  await unlessStopped(signal, service.noteEventTypes());
  return service;
};

/** Null if seeding failed: nothing depends on it. A stop waits for the command under way: it would find its store closed. */
const seedDemo = async (
  { config: { dataDir }, logger, signal }: Start,
  service: Pick<ServiceCore, 'commands'>,
  baseUrl: string,
): Promise<DemoData | null> => {
  const commands = inContext(service.commands, { traceparent: nextTraceparent() });
  try {
    return await seedDemoData({ commands, dataDir, baseUrl, signal });
  } catch (err) {
    signal.throwIfAborted();
    logger.warn({ err }, 'the demo data could not be seeded (DATA_DIR/demo.json)');
    return null;
  }
};

/** Closed after the main port, so that health and metrics are available until the end. */
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
      `cannot listen on MANAGEMENT_PORT ${managementPort} on ${host} (${(error as NodeJS.ErrnoException).code})`,
      { cause: error },
    );
  }
  return `http://${hostInUrl(host)}:${(management.server.address() as AddressInfo).port}`;
};
