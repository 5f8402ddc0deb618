import { spawn } from 'node:child_process';
import { constants, type FileHandle, open, stat } from 'node:fs/promises';
import { join } from 'node:path';

/** A kernel lock on a file. It ends with the process that holds it, however that ends. */
export type FileLock = { readonly release: () => Promise<void> };

/**
 * Locks a file of this folder, and creates it if necessary; only users who can open the file can hold the lock. Where
 * files cannot be locked (no `flock` on a Linux, some network file systems) nobody is kept out.
 * @returns null when another process holds it
 */
export async function lockFile(folder: string, name: string): Promise<FileLock | null> {
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

/** A file that root created in a user's folder must stay accessible for that user. */
async function leaveToOwner(folder: string, file: FileHandle): Promise<void> {
  if (process.getuid?.() !== 0) return;
  const { uid, gid } = await stat(folder);
  await file.chown(uid, gid);
}
