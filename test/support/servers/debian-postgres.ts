import { accessSync, readdirSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { startPostgres } from '#eventstore-node/postgres';
import { freePort } from './free-port.ts';

const programs = ['postgres', 'initdb', 'createdb', 'dropdb', 'pg_dump', 'pg_restore', 'psql'] as const;

/**
 * The programs of Debian's `postgresql`, server and clients of one version, which are not on PATH; null if not
 * installed.
 */
export const debianPostgres = ((): string | null => {
  const root = '/usr/lib/postgresql';
  try {
    const versions = readdirSync(root).toSorted((a, b) => Number(b) - Number(a));
    const folder = join(root, versions[0] ?? '', 'bin');
    for (const program of programs) accessSync(join(folder, program));
    return folder;
  } catch {
    return null;
  }
})();

export type DebianPostgres = {
  readonly url: (database: string) => string;
  /** The environment with which PostgreSQL's own programs find the server, and their folder. */
  readonly env: Readonly<Record<string, string>>;
  readonly close: () => Promise<void>;
};

/** A separate server on a local port, run by an ordinary user even when we are root. */
export const startDebianPostgres = async (): Promise<DebianPostgres> => {
  if (debianPostgres === null) throw new Error("Debian's postgresql is not installed");
  const [dataDir, port] = [await mkdtemp(join(tmpdir(), 'grantbook-debian-')), await freePort()];
  const postgres = await startPostgres({
    dataDir,
    settings: { listen_addresses: '127.0.0.1', port: String(port), fsync: 'off', shared_buffers: '32MB' },
    binaries: {
      postgres: join(debianPostgres, 'postgres'),
      initdb: join(debianPostgres, 'initdb'),
      native: null,
    },
  });
  const { username, password } = new URL(postgres.url('postgres'));
  return {
    url: (database) => `postgresql://${username}:${password}@127.0.0.1:${port}/${database}`,
    env: {
      PATH: `${debianPostgres}${delimiter}${process.env['PATH']}`,
      PGHOST: '127.0.0.1',
      PGPORT: String(port),
      PGUSER: username,
      PGPASSWORD: password,
    },
    async close() {
      await postgres.close();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
};
