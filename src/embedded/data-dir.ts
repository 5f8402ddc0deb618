import { access, constants, type FileHandle, mkdir, open, readdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { closeFolder } from '#eventstore-node/postgres';

/** DATA_DIR cannot be created or is shared with other users; the message names it. */
export class DataDirUnusable extends Error {
  override readonly name = 'DataDirUnusable';
}

/** Creates the data folder if it does not exist. @throws DataDirUnusable */
export async function makeDataDir(dataDir: string): Promise<void> {
  await makeFolder(dataDir, 0o700).catch((cause: unknown) => unusable(dataDir, 'made', cause));
  const { R_OK, W_OK, X_OK } = constants;
  await access(dataDir, R_OK | W_OK | X_OK).catch((cause: unknown) => unusable(dataDir, 'written to', cause));
}

/**
 * Removes other users' access to the folder and its files, in case a umask left them open. Call it only as the
 * folder's only user. PostgreSQL may need access through a group.
 * @returns the group through which PostgreSQL accesses the folder, see `closeFolder`
 * @throws DataDirUnusable for a folder like /tmp that is writable for everybody
 */
export async function closeDataDir(dataDir: string): Promise<number | null> {
  const { uid, mode } = await stat(dataDir);
  const isOthers = uid !== 0 && process.getuid?.() !== 0 && uid !== process.getuid?.();
  if (mode & STICKY || (isOthers && mode & OTHERS_WRITE))
    throw new DataDirUnusable(
      `DATA_DIR ${dataDir} is writable for every user of this machine: create a subfolder, and set DATA_DIR to it`,
    );
  const files = (await readdir(dataDir, { withFileTypes: true })).filter((entry) => entry.isFile());
  for (const { name } of files) await closeFile(join(dataDir, name)).catch(notOurs);
  return await closeFolder(dataDir);
}

const STICKY = 0o1000;
const OTHERS_WRITE = 0o002;

/** Never by its name alone: the folder's owner must not be able to redirect root to a file elsewhere. */
async function closeFile(path: string): Promise<void> {
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const { mode } = await file.stat();
    if (mode & OTHERS) await file.chmod(mode & 0o700);
  } finally {
    await file.close();
  }
}

const OTHERS = 0o077;

/** A file of another user in a shared folder is left to that user. */
function notOurs(error: NodeJS.ErrnoException): void {
  if (!['EACCES', 'EPERM', 'ENOENT', 'ELOOP'].includes(error.code ?? '')) throw error;
}

/** A file that root created in a user's folder must stay accessible for that user. */
export async function leaveToOwner(folder: string, file: FileHandle): Promise<void> {
  if (process.getuid?.() !== 0) return;
  const { uid, gid } = await stat(folder);
  await file.chown(uid, gid);
}

/** One level at a time: Node's own `recursive` loops forever where an existing folder accepts no children, as in /proc. */
async function makeFolder(path: string, mode: number): Promise<void> {
  try {
    await mkdir(path, { mode });
  } catch (error) {
    if (await isFolder(path)) return;
    const parent = dirname(path);
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || (await isFolder(parent))) throw error;
    await makeFolder(parent, 0o711); // PostgreSQL may need to pass through as another user
    await makeFolder(path, mode);
  }
}

const isFolder = (path: string): Promise<boolean> =>
  stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );

function unusable(dataDir: string, what: string, cause: unknown): never {
  const code = (cause as NodeJS.ErrnoException).code ?? 'failure';
  throw new DataDirUnusable(`DATA_DIR ${dataDir} cannot be ${what} (${code})`, { cause });
}
