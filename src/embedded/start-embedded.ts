import { join, resolve } from 'node:path';
import { startPostgres } from '@grantbook/eventstore-node/postgres';
import { startNodeProcess } from '@grantbook/eventstore-node/process';
import { askFacts } from './control-socket.ts';
import { claimDataDir, claimFromCommand, DataDirInUse, type OwnerLock } from './owner-lock.ts';
import { makeStoreAccess } from './store-access.ts';
import { until } from './until.ts';

/** Which services have no URL of their own and are to be embedded. */
export type EmbeddedNeed = { readonly postgres: boolean; readonly eventStore: boolean };

/** The part of a pino logger that is used here. */
export type EmbeddedLogger = { debug(context: object, message: string): void };

export type EmbeddedServices = {
  /** Of the database for projections, with its password; there when it was needed. */
  readonly databaseUrl?: string;
  /** Of the node, with its secret; there when it was needed. */
  readonly eventStoreUrl?: string;
  /** Tells others on the same data folder where this service listens. */
  readonly announce: (baseUrl: string) => void;
  /** Resolves with a sentence when a service ends that was not told to: there is nothing left but to stop. */
  readonly failed: Promise<string>;
  readonly close: () => Promise<void>;
};

export type EmbeddedOptions = {
  readonly dataDir: string;
  readonly need: EmbeddedNeed;
  readonly logger?: EmbeddedLogger;
};

/**
 * Starts what has no URL: PostgreSQL, and the event store node over a database of its own. Claims the data folder
 * for this process, after a command that is just using it; whatever a killed service left behind there is cleared up.
 * @throws DataDirInUse when another service works on that folder
 */
export async function startEmbedded(options: EmbeddedOptions): Promise<EmbeddedServices> {
  return await startWith(claimFromCommand, options);
}

async function startWith(
  claim: (dataDir: string) => Promise<OwnerLock>,
  { dataDir, need, logger }: EmbeddedOptions,
): Promise<EmbeddedServices> {
  if (!need.postgres && !need.eventStore) return nothingEmbedded;
  const folder = resolve(dataDir);
  const lock = await claim(folder);
  const opened: Opened[] = [{ close: lock.release }];
  try {
    return await startServices(folder, need, lock, opened, logger);
  } catch (error) {
    await closeAll(opened);
    throw error;
  }
}

/**
 * For the CLI: uses what a running service on that folder has embedded, or starts it for as long as the command takes.
 * Unlike a second service, it waits for one that is just starting.
 */
export async function attachEmbedded(
  options: EmbeddedOptions,
): Promise<EmbeddedServices & { readonly baseUrl?: string }> {
  if (!options.need.postgres && !options.need.eventStore) return nothingEmbedded;
  const dataDir = resolve(options.dataDir);
  const running = await runningOn(dataDir, options.need);
  if (running) return running;
  try {
    return await startWith(claimDataDir, options);
  } catch (error) {
    if (!(error instanceof DataDirInUse)) throw error;
    let started: Attached | null = null;
    await until(async () => (started = await runningOn(dataDir, options.need)) !== null, 60_000);
    if (!started) throw error;
    return started;
  }
}

type Attached = EmbeddedServices & { readonly baseUrl?: string };
type Opened = { readonly close: () => Promise<void> };

const never = new Promise<string>(() => undefined);
const nothingEmbedded: EmbeddedServices = {
  announce: () => undefined,
  failed: never,
  close: () => Promise.resolve(),
};

async function runningOn(dataDir: string, need: EmbeddedNeed): Promise<Attached | null> {
  const facts = await askFacts(dataDir);
  if (!facts || (need.postgres && !facts.databaseUrl) || (need.eventStore && !facts.eventStoreUrl))
    return null;
  const { databaseUrl, eventStoreUrl, baseUrl } = facts;
  return {
    ...nothingEmbedded,
    ...(need.postgres && databaseUrl && { databaseUrl }),
    ...(need.eventStore && eventStoreUrl && { eventStoreUrl }),
    ...(baseUrl && { baseUrl }),
  };
}

/** The node keeps its log in the embedded PostgreSQL even when the projections have a server of their own. */
async function startServices(
  dataDir: string,
  need: EmbeddedNeed,
  lock: OwnerLock,
  opened: Opened[],
  logger?: EmbeddedLogger,
): Promise<EmbeddedServices> {
  const postgres = await startPostgres({ dataDir: join(dataDir, 'postgres'), group: lock.group });
  opened.push(postgres);
  const ends = [postgres.ended.then(() => 'the embedded PostgreSQL has ended')];
  const urls: { databaseUrl?: string; eventStoreUrl?: string } = {};
  if (need.postgres) {
    await postgres.createDatabase(DATABASE);
    urls.databaseUrl = postgres.url(DATABASE);
  }
  if (need.eventStore) {
    await postgres.createDatabase(LOG_DATABASE);
    const access = await makeStoreAccess(dataDir);
    const node = await startNodeProcess({ databaseUrl: postgres.url(LOG_DATABASE), access });
    opened.push(node);
    ends.push(node.ended.then(() => 'the embedded event store has ended'));
    urls.eventStoreUrl = node.url;
  }
  lock.publish(urls);
  let told = false;
  logger?.debug({ dataDir, embedded: Object.keys(urls) }, 'embedded services are running');
  return {
    ...urls,
    announce: (baseUrl) => lock.publish({ baseUrl }),
    failed: Promise.race(ends).then((reason) => (told ? never : reason)),
    close: () => {
      told = true;
      return closeAll(opened);
    },
  };
}

const DATABASE = 'grantbook';
const LOG_DATABASE = 'grantbook_log';

/** The last opened first; each is closed even when another cannot be. */
async function closeAll(opened: Opened[]): Promise<void> {
  const failures: unknown[] = [];
  for (const { close } of opened.splice(0).toReversed()) {
    await close().catch((error: unknown) => failures.push(error));
  }
  if (failures.length > 0) throw new AggregateError(failures, 'not everything embedded could be stopped');
}
