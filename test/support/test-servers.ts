import { afterAll } from 'vitest';
import { migratedDatabase } from './servers/databases.ts';
import { startTestNode } from './servers/node.ts';

/**
 * A node and a migrated database, which are closed and dropped after the tests of the file.
 * @param atTheEnd `onTestFinished` for those of one test
 */
export const startTestServers = async (
  atTheEnd: (end: () => Promise<void>) => void = afterAll,
  newDatabase = migratedDatabase,
) => {
  const [node, database] = await Promise.all([startTestNode(), newDatabase()]);
  atTheEnd(async () => {
    await Promise.all([node.close(), database.drop()]);
  });
  return { node, database, stores: { databaseUrl: database.url, eventStoreUrl: node.url } };
};
