import { access, constants, mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';

/** DATA_DIR leads nowhere; the message names it. */
export class DataDirUnusable extends Error {
  override readonly name = 'DataDirUnusable';
}

/**
 * Makes the data folder unless it is there. Others may pass through: PostgreSQL may have to, as another user.
 * @throws DataDirUnusable
 */
export async function makeDataDir(dataDir: string): Promise<void> {
  await makeFolder(dataDir).catch((cause: unknown) => unusable(dataDir, 'made', cause));
  const { R_OK, W_OK, X_OK } = constants;
  await access(dataDir, R_OK | W_OK | X_OK).catch((cause: unknown) => unusable(dataDir, 'written to', cause));
}

/** One folder at a time: Node's own `recursive` never ends where a folder that is there takes none, as in /proc. */
async function makeFolder(path: string): Promise<void> {
  try {
    await mkdir(path, { mode: 0o711 });
  } catch (error) {
    if (await isFolder(path)) return;
    const parent = dirname(path);
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || (await isFolder(parent))) throw error;
    await makeFolder(parent);
    await makeFolder(path);
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
