import { randomBytes, randomUUID } from 'node:crypto';
import { rename, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { NodeAccess } from '#eventstore-node';
import { startPostgres } from '#eventstore-node/postgres';
import { launchNodeProcess } from '#eventstore-node/process';
import { askFacts } from './control-socket.ts';
import { refuseOtherFormat } from './format.ts';
import { claimDataDir, claimFromCommand, DataDirInUse, type OwnerLock } from './owner-lock.ts';
import { until } from './until.ts';

/** Which servers have no URL in the settings and must be embedded. */
export type EmbeddedNeed = { readonly postgres: boolean; readonly eventStore: boolean };

/** The part of a pino logger that is used here. */
export type EmbeddedLogger = { debug(context: object, message: string): void };

export type EmbeddedServices = {
  /** URL of the database for projections, with its password; set if it is embedded. */
  readonly databaseUrl?: string;
  /** URL of the node, with its secret; set if it is embedded. */
  readonly eventStoreUrl?: string;
  /** Publishes this service's address for other processes on the same data folder. */
  readonly announce: (baseUrl: string, managementUrl?: string) => void;
  /** Resolves with a sentence when an embedded server ends unexpectedly: the service can only stop then. */
  readonly failed: Promise<string>;
  readonly close: () => Promise<void>;
};

export type EmbeddedOptions = {
  readonly dataDir: string;
  readonly need: EmbeddedNeed;
  readonly logger?: EmbeddedLogger;
  /** Called once, with the reason, when a command has to wait for another process. */
  readonly waits?: (why: string) => void;
};

/**
 * Starts the servers without a URL: PostgreSQL, and the event store node with a database of its own. Claims the data
 * folder for this process, if necessary after a command that is just using it, and cleans up after a killed service.
 * @throws DataDirInUse when another service uses that folder
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
 * For the CLI: uses the embedded servers of a running service on that folder, or starts them for the duration of the
 * command. Unlike a second service, it waits for a service that is just starting.
 */
export async function attachEmbedded(options: EmbeddedOptions): Promise<Attached> {
  if (!options.need.postgres && !options.need.eventStore) return nothingEmbedded;
  const dataDir = resolve(options.dataDir);
  await refuseOtherFormat(dataDir);
  let refusal: DataDirInUse | null = null;
  const open = async (): Promise<Attached | null> =>
    (await runningOn(dataDir, options.need)) ??
    (await startWith(claimDataDir, options).catch((error: unknown) => {
      if (!(error instanceof DataDirInUse)) throw error;
      refusal = error;
      return null;
    }));
  const saying = setTimeout(() => options.waits?.(refusal?.message ?? ''), sayAfterMs);
  let opened: Attached | null = null;
  await until(async () => (opened = await open()) !== null, patienceMs).finally(() => clearTimeout(saying));
  if (!opened) throw refusal ?? new Error('unreachable');
  return opened;
}

/** In milliseconds: how long a command waits for another process, and when it says so. */
const patienceMs = 60_000;
const sayAfterMs = 5_000;

/** `managementUrl`: where health and metrics are, if they have a port of their own. */
type Attached = EmbeddedServices & { readonly baseUrl?: string; readonly managementUrl?: string };
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
  const { databaseUrl, eventStoreUrl, baseUrl, managementUrl } = facts;
  return {
    ...nothingEmbedded,
    ...(need.postgres && databaseUrl && { databaseUrl }),
    ...(need.eventStore && eventStoreUrl && { eventStoreUrl }),
    ...(baseUrl && { baseUrl }),
    ...(managementUrl && { managementUrl }),
  };
}

/** The node stores its log in the embedded PostgreSQL even when the projections have a server of their own. */
async function startServices(
  dataDir: string,
  need: EmbeddedNeed,
  lock: OwnerLock,
  opened: Opened[],
  logger?: EmbeddedLogger,
): Promise<EmbeddedServices> {
  const launched = need.eventStore ? launchNodeProcess(dataDir) : null; // it loads while PostgreSQL starts
  if (launched) opened.push(launched);
  const postgres = await startPostgres({ dataDir: join(dataDir, 'postgres'), group: lock.group });
  opened.push(postgres);
  const ends = [postgres.ended.then(() => 'the embedded PostgreSQL has ended')];
  const urls: { databaseUrl?: string; eventStoreUrl?: string } = {};
  if (need.postgres) {
    await postgres.createDatabase(DATABASE);
    urls.databaseUrl = postgres.url(DATABASE);
  }
  if (launched) {
    await postgres.createDatabase(LOG_DATABASE);
    const access = await makeStoreAccess(dataDir);
    const node = await launched.start({ databaseUrl: postgres.url(LOG_DATABASE), access });
    opened.push(node); // closed before its database
    ends.push(node.ended.then(() => 'the embedded event store has ended'));
    urls.eventStoreUrl = node.url;
  }
  lock.publish(urls);
  let told = false;
  logger?.debug({ dataDir, embedded: Object.keys(urls) }, 'embedded services are running');
  return {
    ...urls,
    announce: (baseUrl, managementUrl) => lock.publish({ baseUrl, ...(managementUrl && { managementUrl }) }),
    failed: Promise.race(ends).then((reason) => (told ? never : reason)),
    close: () => {
      told = true;
      return closeAll(opened);
    },
  };
}

const DATABASE = 'grantbook';
const LOG_DATABASE = 'grantbook_log';

/** In reverse order of opening; a failure to close one does not prevent closing the others. */
async function closeAll(opened: Opened[]): Promise<void> {
  const failures: unknown[] = [];
  for (const { close } of opened.splice(0).toReversed()) {
    await close().catch((error: unknown) => failures.push(error));
  }
  if (failures.length > 0) throw new AggregateError(failures, 'some embedded servers could not be stopped');
}

/**
 * A new secret and a new authority for one run of the embedded event store. The authority's certificate is written to
 * the data folder, where `tlsCAFile` of the connection string refers to it; everything else stays in memory.
 */
export async function makeStoreAccess(dataDir: string): Promise<NodeAccess> {
  const { makeServerCertificates } = await import('./certificates.ts'); // its libraries take time to load
  const { authority, certificate, key } = await makeServerCertificates();
  const authorityFile = join(dataDir, 'event-store-ca.pem');
  const unfinished = `${authorityFile}.${randomUUID()}`;
  await writeFile(unfinished, authority, { mode: 0o600, flag: 'wx' });
  await rename(unfinished, authorityFile); // the file of the last run may belong to another user
  return {
    user: 'grantbook',
    secret: randomBytes(32).toString('base64url'),
    certificate,
    key,
    authorityFile,
  };
}
