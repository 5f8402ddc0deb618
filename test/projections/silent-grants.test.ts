import { afterAll, expect, test } from 'vitest';
import { makeCountSilentGrant } from '../../src/projections/working-state/silent-grants.ts';
import { testReadModels } from '../support/log/read-models.ts';

const side = await testReadModels();
afterAll(() => side.close());

test('GR-06: of forty at the same moment, at two instances, thirty are counted', async () => {
  const counts = [makeCountSilentGrant({ pool: side.pool }), makeCountSilentGrant({ pool: side.pool })];
  const answers = await Promise.all(
    Array.from({ length: 20 }, () => counts.map((count) => count('at-once', 'addon'))).flat(),
  );
  expect(answers.filter((seconds) => seconds === null)).toHaveLength(30);
  const { rows } = await side.pool.query(
    "select cardinality(times) from silent_grants where key = 'at-once addon'",
  );
  expect(rows).toEqual([{ cardinality: 30 }]);
  await side.pool.query('delete from silent_grants');
});
