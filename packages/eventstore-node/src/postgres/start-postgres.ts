import { mkdir, readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import pg from 'pg';
import { findBinaries, type PostgresBinaries } from './binaries.ts';
import { ensureCluster, ROLE } from './cluster.ts';
import type { Launcher } from './launch.ts';
import { linkLibraries } from './library-links.ts';
import { startPostmaster } from './postmaster.ts';
import { requirePassword } from './require-password.ts';
import { chooseRunAs } from './run-as.ts';
import { makeSocketFolder } from './socket-folder.ts';
import { clearStalePidFile } from './stale-pid-file.ts';

export { closeFolder } from './private-folder.ts';

/** A PostgreSQL server that runs as long as this process. */
export type EmbeddedPostgres = {
  /**
   * Connection string of one of its databases, including the password; uses a unix socket in a folder that only we may
   * enter.
   */
  readonly url: (database: string) => string;
  /** Creates a database if it does not exist. */
  readonly createDatabase: (name: string) => Promise<void>;
  /** Resolves when the server has ended, for any reason. */
  readonly ended: Promise<unknown>;
  /** Fast shutdown: open sessions end, committed data is kept. */
  readonly close: () => Promise<void>;
};

/**
 * Starts PostgreSQL on `dataDir` with a new password, and creates the cluster at the first start. Works for root, too,
 * without changes to the host: the server then runs as `nobody`, in a group of its own. A server that is still running
 * on `dataDir` is assumed to be left over from a killed service, and stopped: so the caller must be the folder's only
 * user (Grantbook locks it).
 * @param group under root, the group with access to the folder above; the result of `closeFolder`
 * @param settings server settings in addition to the defaults, such as `{ fsync: 'off' }` for tests
 * @param binaries those of another PostgreSQL than the default
 */
export async function startPostgres({
  dataDir,
  group,
  settings = {},
  searchPath = '/usr/local/bin:/usr/bin:/bin',
  binaries,
}: {
  readonly dataDir: string;
  readonly group?: number | null;
  readonly settings?: Readonly<Record<string, string>>;
  readonly searchPath?: string;
  readonly binaries?: PostgresBinaries;
}): Promise<EmbeddedPostgres> {
  const folder = resolve(dataDir);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const used = binaries ?? (await findBinaries(searchPath));
  const runAs = await chooseRunAs(used.postgres, folder, group);
  const launcher = { binaries: used, runAs, libraryPath: await linkLibraries(used, join(folder, 'lib')) };
  const durable = settings['fsync'] !== 'off';
  const cluster = await ensureCluster(launcher, folder, durable);
  await clearStalePidFile(cluster);
  const password = await requirePassword(launcher, { cluster, durable });
  return await startServer(launcher, { folder, cluster, settings, password });
}

async function startServer(
  launcher: Launcher,
  {
    folder,
    cluster,
    settings,
    password,
  }: { folder: string; cluster: string; settings: Readonly<Record<string, string>>; password: string },
): Promise<EmbeddedPostgres> {
  const socket = await makeSocketFolder(folder, launcher.runAs.owner);
  const shared = launcher.runAs.owner ? OF_OTHER_USERS_TOO : {};
  const version = Number(await readFile(join(cluster, 'PG_VERSION'), 'utf8'));
  const all = {
    ...DEFAULTS,
    ...(version >= 18 && SINCE_18),
    ...shared,
    unix_socket_directories: socket.path,
    ...settings,
  };
  const args = Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const server = await startPostmaster(launcher, { cluster, logFile: join(folder, 'postgres.log'), args });
  const url = (database: string) =>
    `postgresql://${ROLE}:${password}@localhost:5432/${database}?host=${encodeURIComponent(socket.path)}`;
  return {
    url,
    ended: server.ended,
    createDatabase: (name) => createDatabase(url('postgres'), name),
    close: async () => {
      await server.stop();
      await socket.remove();
    },
  };
}

/** For `nobody`, who may have other processes: parallel queries share memory in the data folder instead of /dev/shm. */
const OF_OTHER_USERS_TOO = { dynamic_shared_memory_type: 'mmap' };

/** No TCP: the socket is faster, and only we may enter its folder. */
const DEFAULTS = {
  listen_addresses: '',
  port: '5432',
  unix_socket_permissions: '0700',
  max_connections: '200',
  shared_buffers: '256MB',
  max_wal_size: '2GB',
  max_logical_replication_workers: '0',
};

/** Since version 18: no three processes that only read for others. */
const SINCE_18 = { io_method: 'sync' };

async function createDatabase(adminUrl: string, name: string): Promise<void> {
  const client = new pg.Client({ connectionString: adminUrl });
  client.on('error', () => undefined); // the pending statement fails with it
  await client.connect();
  try {
    const { rowCount } = await client.query('select from pg_database where datname = $1', [name]);
    if (!rowCount) await client.query(`create database ${client.escapeIdentifier(name)}`);
  } finally {
    await client.end();
  }
}
