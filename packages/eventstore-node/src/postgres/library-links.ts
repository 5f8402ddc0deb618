import { chmod, mkdir, readFile, rm, symlink } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import type { PostgresBinaries } from './binaries.ts';

/**
 * Creates the links from library names to library files in a folder of our own. The npm package leaves that to an
 * install script, and install scripts may be switched off.
 * @returns the value of LD_LIBRARY_PATH, or null for a PostgreSQL of the system, which needs none
 */
export async function linkLibraries({ native }: PostgresBinaries, linksDir: string): Promise<string | null> {
  if (!native) return null;
  await rm(linksDir, { recursive: true, force: true }); // the package may have moved since the last start
  await mkdir(linksDir, { recursive: true });
  await chmod(linksDir, 0o711); // regardless of the umask: the server may run as another user
  for (const { source, target } of await readLinks(native)) {
    await symlink(resolve(native, '..', source), join(linksDir, basename(target)));
  }
  return `${linksDir}:${join(native, 'lib')}`; // both: $ORIGIN follows the link
}

type Link = { readonly source: string; readonly target: string };

async function readLinks(native: string): Promise<readonly Link[]> {
  try {
    return JSON.parse(await readFile(join(native, 'pg-symlinks.json'), 'utf8')) as Link[];
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return []; // platforms without links
    throw cause;
  }
}
