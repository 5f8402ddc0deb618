import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import {
  type EmbeddedPostgres,
  startPostgres,
} from '../../../packages/eventstore-node/src/postgres/start-postgres.ts';
import { isAlive } from '../../../packages/eventstore-node/src/postgres/processes.ts';
import { roomyFolder } from './roomy-folder.ts';

/**
 * A server for one run, in memory if there is room; it ends with this process, even if that is killed.
 * @param prefix of its folder's name; folders of killed processes with the same prefix are removed
 */
export const startOwnPostgres = async (
  prefix: string,
): Promise<Pick<EmbeddedPostgres, 'url' | 'createDatabase' | 'close'>> => {
  const root = roomyFolder();
  await removeLeftovers(root, prefix);
  const dataDir = await mkdtemp(join(root, `${prefix}${process.pid}-`));
  const postgres = await startPostgres({ dataDir, settings: FAST_AND_FORGETFUL });
  await iterateOnce(postgres.url('postgres'));
  return {
    url: postgres.url,
    createDatabase: postgres.createDatabase,
    close: async () => {
      await postgres.close();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
};

/** Test data does not have to survive a power cut. */
const FAST_AND_FORGETFUL = {
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  max_connections: '400',
  shared_buffers: '128MB',
  autovacuum: 'off',
};

/** Our own clients derive a key for each of their thousands of connections. */
const iterateOnce = async (url: string): Promise<void> => {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query('set scram_iterations = 1');
  await client.query(
    `alter role current_user password ${client.escapeLiteral(decodeURIComponent(new URL(url).password))}`,
  );
  await client.end();
};

/** Removes folders of runs that were killed; those of other users are not ours to remove. */
const removeLeftovers = async (root: string, prefix: string): Promise<void> => {
  for (const name of await readdir(root)) {
    const pid = Number(name.startsWith(prefix) && name.slice(prefix.length).split('-')[0]);
    if (pid && !isAlive(pid))
      await rm(join(root, name), { recursive: true, force: true }).catch(() => undefined);
  }
};
