import type { Server } from 'node:net';
import { askFacts, removeSocket, serveFacts, type ServiceFacts } from './control-socket.ts';
import { closeDataDir, makeDataDir } from './data-dir.ts';
import { type FileLock, lockFile } from './file-lock.ts';
import { until } from './until.ts';

/** The right to use a data folder. It ends with this process, however that ends. */
export type OwnerLock = {
  /** The group through which PostgreSQL accesses the folder, see `closeFolder`. */
  readonly group: number | null;
  /** Adds facts about this service for other processes. */
  readonly publish: (facts: Omit<ServiceFacts, 'pid'>) => void;
  readonly release: () => Promise<void>;
};

/** Another process is using this data folder. */
export class DataDirInUse extends Error {
  readonly owner: ServiceFacts | null;
  constructor(dataDir: string, owner: ServiceFacts | null) {
    super(
      owner?.baseUrl
        ? `a service already runs on DATA_DIR ${dataDir}: process ${owner.pid} at ${owner.baseUrl}. ` +
            'Stop that one, use it, or set DATA_DIR to another folder.'
        : `${owner ? `process ${owner.pid}` : 'another process'} is using DATA_DIR ${dataDir}: ` +
            'a command that is not done yet, or a service that is not ready yet. ' +
            'Try again when it is, or set DATA_DIR to another folder.',
    );
    this.name = 'DataDirInUse';
    this.owner = owner;
  }
}

/**
 * Makes this process the only user of the folder, creates it if necessary, and closes it to other users.
 * @throws DataDirInUse, DataDirUnusable
 */
export async function claimDataDir(dataDir: string): Promise<OwnerLock> {
  await makeDataDir(dataDir);
  const lock = await patientlyLock(dataDir);
  try {
    const owner = await askFacts(dataDir); // an older version without a lock file, or a file system without locks
    if (owner) throw new DataDirInUse(dataDir, owner);
    const group = await closeDataDir(dataDir);
    let facts: ServiceFacts = { pid: process.pid };
    const control = await serveFacts(dataDir, () => facts);
    return {
      group,
      publish: (more) => void (facts = { ...facts, ...more }),
      release: async () => {
        await removeSocket(dataDir);
        await closed(control);
        await lock.release();
      },
    };
  } catch (error) {
    await lock.release();
    throw error;
  }
}

/**
 * The same for a service: if a command holds the folder, this waits for its end. A command is recognized by having no
 * address.
 * @throws DataDirInUse at once when a service holds the folder, otherwise after a while; DataDirUnusable
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

/** The holder may have just started and not answer yet, or may be about to end after a kill -9. */
async function patientlyLock(dataDir: string): Promise<FileLock> {
  let lock: FileLock | null = null;
  let owner: ServiceFacts | null = null;
  await until(async () => {
    lock = await lockFile(dataDir, 'lock');
    if (!lock) owner = await askFacts(dataDir);
    return (lock ?? owner) !== null;
  }, 5_000);
  if (!lock) throw new DataDirInUse(dataDir, owner);
  return lock;
}

const closed = (server: Server): Promise<void> => new Promise((resolve) => server.close(() => resolve()));
