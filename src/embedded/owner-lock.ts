import type { Server } from 'node:net';
import { askFacts, removeSocket, serveFacts, type ServiceFacts } from './control-socket.ts';
import { closeDataDir, leaveToOwner, makeDataDir } from './data-dir.ts';
import { noteFormat, refuseOtherFormat } from './format.ts';
import { until } from './until.ts';
import { spawn } from 'node:child_process';
import { constants, type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';

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
  const isNoted = await refuseOtherFormat(dataDir);
  const lock = await patientlyLock(dataDir);
  try {
    const owner = await askFacts(dataDir); // on a file system without locks
    if (owner) throw new DataDirInUse(dataDir, owner);
    const group = await closeDataDir(dataDir);
    if (!isNoted) await noteFormat(dataDir);
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

/** A kernel lock on a file. It ends with the process that holds it, however that ends. */
type FileLock = { readonly release: () => Promise<void> };

/**
 * Locks a file of this folder, and creates it if necessary; only users who can open the file can hold the lock. Where
 * files cannot be locked (no `flock` on a Linux, some network file systems) nobody is kept out.
 * @returns null when another process holds it
 */
async function lockFile(folder: string, name: string): Promise<FileLock | null> {
  const file = await openExclusively(join(folder, name));
  if (!file) return null;
  try {
    if (!(await flock(file))) {
      await file.close();
      return null;
    }
    await leaveToOwner(folder, file);
  } catch (error) {
    await file.close();
    throw error;
  }
  return { release: () => file.close() };
}

/** macOS and the BSDs lock with open(2); Node has no constant for their flag. */
const O_EXLOCK = 0x20;
const opensLocked = ['darwin', 'freebsd', 'openbsd'].includes(process.platform);

async function openExclusively(path: string): Promise<FileHandle | null> {
  const { O_RDWR, O_CREAT, O_NOFOLLOW, O_NONBLOCK } = constants;
  const flags = O_RDWR | O_CREAT | O_NOFOLLOW | (opensLocked ? O_EXLOCK | O_NONBLOCK : 0);
  return await open(path, flags, 0o600).catch((error: NodeJS.ErrnoException) => {
    if (opensLocked && error.code === 'EAGAIN') return null;
    throw error;
  });
}

/** flock(2) belongs to the open file, which we share with the program for a moment; Node has no call for it. */
const flock = (file: FileHandle): Promise<boolean> =>
  new Promise((resolve) => {
    if (process.platform !== 'linux') return resolve(true);
    const env = { PATH: '/usr/local/bin:/usr/bin:/bin' };
    const child = spawn('flock', ['-x', '-n', '3'], { stdio: ['ignore', 'ignore', 'ignore', file.fd], env });
    child.once('error', () => resolve(true)); // there is no flock program
    child.once('exit', (code) => resolve(code !== HELD));
  });

const HELD = 1;
