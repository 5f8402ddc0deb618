import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, afterEach } from 'vitest';
import { depositHeads, type DepositTarget } from '../../../src/audit/deposits/deposit-heads.ts';
import { toDirectory } from '../../../src/audit/deposits/deposit-targets.ts';
import { signHead } from '../../../src/audit/log-heads/sign-head.ts';
import { makeDepositTable } from '../../../src/projections/log-guard/head-deposits-table.ts';
import { runGrantbook } from '../../cli/run-grantbook.ts';
import { memoryStore } from '../../support/memory/memory-store.ts';
import { quietLogger } from '../../support/quiet-logger.ts';
import { migratedDatabase } from '../../support/servers/databases.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { newKey, signerOf } from '../exports.ts';
import { endSessions, memoryTiles } from '../log-tiles/memory-tiles.ts';

const signal = new AbortController().signal;

/** Logs in memory whose heads are signed and deposited, with a table of deposits that is empty before each test of the file. */
export const depositScene = async () => {
  const key = await newKey();
  const temporary = temporaryFolder();

  const database = await migratedDatabase();
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  afterAll(async () => {
    await client.end();
    await database.drop();
  });
  afterEach(async () => void (await client.query('truncate head_deposits')));

  const table = makeDepositTable(async ({ text }, values) => (await client.query(text, [...values])).rows);
  const sign = (store: ReturnType<typeof memoryStore>) =>
    signHead(
      { store, sign: signerOf(key), now: () => 1_795_168_800_123, tiles: memoryTiles().source },
      signal,
    );
  const depositing = (store: ReturnType<typeof memoryStore>, targets: readonly DepositTarget[]) =>
    depositHeads({ store, table, targets, now: () => 1_795_168_900_000, logger: quietLogger() }, signal);
  let folders = 0;
  const newFolder = () => join(temporary, `deposits-${folders++}`);
  const jwksFile = join(temporary, 'jwks.json');
  writeFileSync(jwksFile, JSON.stringify(key.jwks));
  const verify = (path: string, ...more: readonly string[]) =>
    runGrantbook(['audit', 'verify', path, '--jwks', jwksFile, ...more, '--json']);

  /** A folder with heads over 4, 9 and 15 events. */
  const threeDeposits = async () => {
    const [store, folder] = [memoryStore(), newFolder()];
    for (const events of [4, 4, 5]) {
      await endSessions(store, events);
      await sign(store);
      await depositing(store, [toDirectory(folder)]);
    }
    await client.query('truncate head_deposits');
    return { store, folder, names: readdirSync(folder).toSorted() };
  };
  return {
    client,
    databaseUrl: database.url,
    depositing,
    jwksFile,
    key,
    newFolder,
    sign,
    table,
    threeDeposits,
    verify,
  };
};
