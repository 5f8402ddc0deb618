import type { FastifyInstance } from 'fastify';
import type { AddressInfo } from 'node:net';
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
import type { EmbeddedServices } from '../embedded/start-embedded.ts';
import { buildManagementServer } from '../http/requests/base-server.ts';
import type { Telemetry } from '../observability/tracing/telemetry.ts';
import { nextTraceparent } from '../observability/tracing/traceparent.ts';
import { openPersonalKeys, reachEventStore, refuseOlderLog, reportProviders } from './service-checks.ts';
import { addressAt, CannotStart, cannotListen, unlessStopped } from './start-checks.ts';

export type OpenService = {
  readonly baseUrl: string;
  /** Data for the first click; null when the servers are external. */
  readonly demo: DemoData | null;
  readonly hasKafka: boolean;
  /** False until the first operator exists: nobody can sign in to do anything yet. Not asked where demo data is there. */
  readonly hasOperator: boolean;
  /** Resolves with a message when an embedded server has ended unexpectedly, or the event store has lost events. */
  readonly failed: Promise<string>;
  readonly managementUrl: string | null;
};

export type Observing = {
  /** Where spans and metrics are sent; null: nowhere. */
  readonly telemetry: Telemetry | null;
  /** The number of log lines that could not be written. */
  readonly linesLost: () => number;
};

export type Start = Observing & {
  readonly config: Config;
  readonly logger: Logger;
  readonly signal: AbortSignal;
};

export type Closeable = () => Promise<unknown>;

export type Opening = {
  readonly embedded: EmbeddedServices & { readonly servers: Servers };
  /** Free when it was looked for. */
  readonly port: number;
  /** Aborted when a stop is announced. */
  readonly stopping: AbortSignal;
};

/** Opens everything but the servers. @throws CannotStart */
export const openService = async (
  start: Start,
  { embedded, port, stopping }: Opening,
  closers: Closeable[],
): Promise<OpenService> => {
  const { config, signal, linesLost } = start;
  const baseUrl = config.baseUrl ?? addressAt(config.host, port);
  const service = await composeChecked(start, embedded, closers);
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

/** Composes the service, and checks whether it may be used. */
const composeChecked = async (
  { config, logger, signal, telemetry }: Start,
  { failed, servers }: Opening['embedded'],
  closers: Closeable[],
): Promise<ServiceCore> => {
  const service = await composeService(config, servers, logger, telemetry);
  closers.push(() => service.close());
  const { store } = service;
  await unlessStopped(signal, openPersonalKeys(service.personal.keeping));
  // A dead server never answers: closing the store rejects waiting calls at once instead of after all retries.
  void failed.then(() => store.close());
  const { eventStoreUrl: url, environment } = config;
  const isProduction = environment === 'production';
  if (url !== null)
    await unlessStopped(signal, reachEventStore({ store, url, logger, isProduction }, signal));
  await unlessStopped(signal, refuseOlderLog(service));
  await unlessStopped(signal, service.noteEventTypes());
  await unlessStopped(signal, service.ring.publicKeys()); // makes the first ones, so that no request waits for it
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
  return addressAt(host, (management.server.address() as AddressInfo).port);
};
