import { cp, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Pool } from 'pg';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { packageRoot } from '../../../src/process/package-root.ts';
import { migrate } from '../../../src/projections/database/migrate.ts';
import { freshDatabase, type TestDatabase } from '../../support/servers/databases.ts';
import { dumpTables, testReadModels } from '../../support/log/read-models.ts';
import { projectAll, scriptedLog } from '../../support/log/test-projector.ts';
import { tell, wholeStory } from '../follow/a-story.ts';

const migrations = join(packageRoot, 'src/projections/migrations');
let database: TestDatabase;
let pool: Pool;
let dir: string;

beforeEach(async () => {
  database = await freshDatabase();
  pool = new Pool({ connectionString: database.url });
  pool.on('error', () => undefined); // dropping the database ends what is still closing
  dir = await mkdtemp(join(tmpdir(), 'migrations-'));
});
afterEach(async () => {
  await pool.end();
  await database.drop();
  await rm(dir, { recursive: true, force: true });
});

/** As the version before left it; what it wrote into the tables does not matter, but that they were not empty. */
const asOfVersionBefore = async (log: ReturnType<typeof scriptedLog>) => {
  const before = (await readdir(migrations)).filter((name) => name < '0011');
  for (const name of before) await cp(join(migrations, name), join(dir, name));
  await migrate(database.url, dir);
  const newest = log.events.at(-1)?.position.commit;
  await pool.query(`
    insert into checkpoints values ('read-models', ${newest}, ${newest}, 3);
    insert into organizations values ('O9', 'of then', 1);
    insert into accounts values ('U9', 'of@then.example', 'of then', '[]', false, 1);
    insert into consents values ('O9', 'A9', 'U9', '[]', 0, 1)`);
  await pool.query(`
    insert into profiles values ('O1', 'P1', 1, 'then', 'U1', '{}');
    insert into reservations values ('O1', 'R1', 2, 'then', 'P1', '{}');
    insert into access_rights values ('O1', 'X1', 3, 'then', 'P1', '{}');
    insert into list_totals values ('profiles', 'O1', 1);
    insert into checkpoints values ('revoke-on-deactivation', 70, 70, 4);
    insert into fence values ('grant:G9', 7, 1, false)`);
};

test('a database of the version before is built anew from the log; the fence and the checkpoints of reactions stay', async () => {
  const log = scriptedLog();
  tell(log, ...wholeStory());
  await asOfVersionBefore(log);
  expect(await migrate(database.url, migrations)).toContain('0011-lists-by-ordinal');
  const { rows: kept } = await pool.query(`select * from fence where subject = 'grant:G9'`);
  expect(kept).toEqual([{ subject: 'grant:G9', revision: '7', epoch: 1, open: false, ends: null }]);
  const complete = `select name, complete from checkpoints order by name`;
  const ofReaction = { name: 'revoke-on-deactivation', complete: true };
  expect((await pool.query(complete)).rows).toEqual([{ name: 'read-models', complete: false }, ofReaction]);
  await projectAll(database.url, log);
  const fromZero = await testReadModels();
  try {
    await projectAll(fromZero.database.url, log);
    await fromZero.pool.query(`insert into checkpoints values ('revoke-on-deactivation', 70, 70, 0, true)`);
    await fromZero.pool.query(`insert into fence values ('grant:G9', 7, 1, false)`);
    expect(await dumpTables(pool)).toEqual(await fromZero.dump());
  } finally {
    await fromZero.close();
  }
  expect((await pool.query(complete)).rows).toEqual([{ name: 'read-models', complete: true }, ofReaction]);
  const { rows: lease } = await pool.query(`select lease_epoch from checkpoints where name like 'revoke%'`);
  expect(lease).toEqual([{ lease_epoch: '4' }]);
});
