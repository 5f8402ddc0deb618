import { access, constants, mkdir, open, readdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { closeFolder } from '@grantbook/eventstore-node/postgres';

/** DATA_DIR leads nowhere, or to where others are; the message names it. */
export class DataDirUnusable extends Error {
  override readonly name = 'DataDirUnusable';
}

/**
 * Makes the data folder unless it is there.
 * @throws DataDirUnusable
 */
export async function makeDataDir(dataDir: string): Promise<void> {
  await makeFolder(dataDir, 0o700).catch((cause: unknown) => unusable(dataDir, 'made', cause));
  const { R_OK, W_OK, X_OK } = constants;
  await access(dataDir, R_OK | W_OK | X_OK).catch((cause: unknown) => unusable(dataDir, 'written to', cause));
}

/**
 * Closes the folder and the files in it to other users, whatever an earlier version or a umask left open. For the
 * folder's only user: PostgreSQL may be passing through.
 * @returns the group that PostgreSQL passes through by, see `closeFolder`
 * @throws DataDirUnusable for a folder like /tmp, that everybody may write into
 */
export async function closeDataDir(dataDir: string): Promise<number | null> {
  const { uid, mode } = await stat(dataDir);
  const isOthers = uid !== 0 && process.getuid?.() !== 0 && uid !== process.getuid?.();
  if (mode & STICKY || (isOthers && mode & OTHERS_WRITE))
    throw new DataDirUnusable(
      `every user of this machine may write into DATA_DIR ${dataDir}: make a folder of its own there, and name that one`,
    );
  const files = (await readdir(dataDir, { withFileTypes: true })).filter((entry) => entry.isFile());
  for (const { name } of files) await closeFile(join(dataDir, name)).catch(notOurs);
  return await closeFolder(dataDir);
}

const STICKY = 0o1000;
const OTHERS_WRITE = 0o002;

/** Never by its name alone: root must not be led to a file elsewhere by the owner of the folder. */
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

/** What another user has put into a folder of several users is that user's to close. */
function notOurs(error: NodeJS.ErrnoException): void {
  if (!['EACCES', 'EPERM', 'ENOENT', 'ELOOP'].includes(error.code ?? '')) throw error;
}

/** One folder at a time: Node's own `recursive` never ends where a folder that is there takes none, as in /proc. */
async function makeFolder(path: string, mode: number): Promise<void> {
  try {
    await mkdir(path, { mode });
  } catch (error) {
    if (await isFolder(path)) return;
    const parent = dirname(path);
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || (await isFolder(parent))) throw error;
    await makeFolder(parent, 0o711); // PostgreSQL may have to pass through as another user
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
