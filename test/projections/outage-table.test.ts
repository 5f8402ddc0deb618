import { afterAll, expect, test } from 'vitest';
import { makeOutageTable } from '../../src/projections/working-state/outage-table.ts';
import { testReadModels } from '../support/log/read-models.ts';

const side = await testReadModels();
afterAll(() => side.close());

const id = '0b5b2f0e-7f5e-4c8a-9d53-6a6f3a1f2c11';

test('OP-10: an outage is kept for every instance and grows while it lasts', async () => {
  const table = makeOutageTable(side);
  await table.keep(id, { began: 1_000, ended: 2_000 });
  await table.keep(id, { began: 1_000, ended: 5_000 });
  await table.keep(id, { began: 1_500, ended: 4_000 });
  const other = makeOutageTable(side);
  expect(await other.endedAfter(4_999)).toEqual([{ began: 1_000, ended: 5_000 }]);
  expect(await other.endedAfter(5_000)).toEqual([]);
});
