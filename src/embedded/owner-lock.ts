import { stat } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { askFacts, listen, removeSocket, serveFacts, type ServiceFacts } from './control-socket.ts';
import { makeDataDir } from './data-dir.ts';
import { until } from './processes.ts';

/** The right to use a data folder. It ends with this process, however that ends. */
export type OwnerLock = {
  /** Tells more about this service to those who ask. */
  readonly publish: (facts: Omit<ServiceFacts, 'pid'>) => void;
  readonly release: () => Promise<void>;
};

/** Another process works on this data folder. */
export class DataDirInUse extends Error {
  readonly owner: ServiceFacts | null;
  constructor(dataDir: string, owner: ServiceFacts | null) {
    super(
      owner?.baseUrl
        ? `a service already runs on DATA_DIR ${dataDir}: process ${owner.pid} at ${owner.baseUrl}. ` +
            'Stop that one, use it, or set DATA_DIR to another folder.'
        : `${owner ? `process ${owner.pid}` : 'another process'} works on DATA_DIR ${dataDir}: ` +
            'a command that is not done yet, or a service that is not ready yet. ' +
            'Try again when it is, or set DATA_DIR to another folder.',
    );
    this.name = 'DataDirInUse';
    this.owner = owner;
  }
}

/**
 * Makes this process the only user of the folder, which is made when it is not there.
 * @throws DataDirInUse, DataDirUnusable
 */
export async function claimDataDir(dataDir: string): Promise<OwnerLock> {
  await makeDataDir(dataDir);
  const mutex = await patientlyTakeMutex(dataDir);
  const owner = await askFacts(dataDir); // the mutex does not reach into other containers, the socket does
  if (owner) {
    await closed(mutex);
    throw new DataDirInUse(dataDir, owner);
  }
  let facts: ServiceFacts = { pid: process.pid };
  const control = await serveFacts(dataDir, () => facts);
  return {
    publish: (more) => void (facts = { ...facts, ...more }),
    release: async () => {
      await removeSocket(dataDir);
      await Promise.all([closed(control), closed(mutex)]);
    },
  };
}

/**
 * The same for a service: a command has the folder only while it runs, and never says an address, so it is waited for.
 * @throws DataDirInUse at once when a service has the folder, otherwise after a while; DataDirUnusable
 */
export async function claimFromCommand(dataDir: string, milliseconds = 8_000): Promise<OwnerLock> {
  let refusal: unknown;
  let lock: OwnerLock | null = null;
  await until(async () => {
    lock = await claimDataDir(dataDir).catch((error: unknown) => {
      refusal = error;
      return null;
    });
    return lock !== null || !(refusal instanceof DataDirInUse) || refusal.owner?.baseUrl !== undefined;
  }, milliseconds);
  if (lock) return lock;
  throw refusal;
}

/**
 * A name in Linux's abstract socket space: two cannot have it, and it goes away with its process. Elsewhere the
 * control socket alone must do, which leaves a gap of milliseconds to two services that start after a kill -9.
 */
async function takeMutex(dataDir: string): Promise<Server | null> {
  const server = createServer((socket) => socket.destroy());
  if (process.platform !== 'linux') return server;
  const { dev, ino } = await stat(dataDir);
  try {
    await listen(server, `\0grantbook/${dev}/${ino}`);
    return server;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EADDRINUSE') return null;
    throw error;
  }
}

/** Whoever holds it may be so young that it does not answer yet, or be about to die of a kill -9. */
async function patientlyTakeMutex(dataDir: string): Promise<Server> {
  let mutex: Server | null = null;
  let owner: ServiceFacts | null = null;
  await until(async () => {
    mutex = await takeMutex(dataDir);
    if (!mutex) owner = await askFacts(dataDir);
    return (mutex ?? owner) !== null;
  }, 5_000);
  if (!mutex) throw new DataDirInUse(dataDir, owner);
  return mutex;
}

const closed = (server: Server): Promise<void> => new Promise((resolve) => server.close(() => resolve()));
