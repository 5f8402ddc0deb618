import { afterAll, expect, test } from 'vitest';
import { testReadModels } from '../../support/log/read-models.ts';
import { projectAll, scriptedLog } from '../../support/log/test-projector.ts';
import { accessRight, profile, profileRemoved, reservation, tell, wholeStory } from '../follow/a-story.ts';

const side = await testReadModels();
afterAll(() => side.close());

type Scans = { readonly relname: string; readonly seq_scan: string; readonly idx_scan: string };

test('the projector finds every row of the lists by an index, however small their tables are when it begins', async () => {
  const log = scriptedLog();
  const many = Array.from({ length: 300 }, (_, i) => reservation(`R${i}`, 'P1'));
  tell(log, ...many, profile('P1', 1, 'U1'), accessRight('X1', 'P1'), profile('P1', 2, 'U2'));
  tell(log, accessRight('X1', 'P1', 2), reservation('R7', 'P2', 2), profileRemoved('P1', 3), ...wholeStory());
  await projectAll(side.database.url, log, { batchSize: 10 });
  const scans = async () =>
    (
      await side.pool.query<Scans>(
        `select relname, seq_scan, idx_scan from pg_stat_user_tables
         where relname in ('profiles', 'reservations', 'access_rights', 'lists', 'list_blocks') order by 1`,
      )
    ).rows;
  // A session tells what it did at its end, which may be a moment later.
  await expect.poll(async () => (await scans()).every(({ idx_scan }) => Number(idx_scan) > 0)).toBe(true);
  expect((await scans()).filter(({ seq_scan }) => seq_scan !== '0')).toEqual([]);
});
