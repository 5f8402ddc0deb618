import { afterAll, expect, test } from 'vitest';
import { makeEndInteraction } from '../../src/projections/working-state/ended-interactions.ts';
import { testReadModels } from '../support/log/read-models.ts';

const side = await testReadModels();
afterAll(() => side.close());

const day = 86_400_000;
const ends = () => makeEndInteraction({ pool: side.pool });

test('AZ-40: of many that race to end an interaction one gets through, and nobody later', async () => {
  const race = await Promise.all(Array.from({ length: 20 }, () => ends()('i', day + 600_000)));
  expect(race.filter(Boolean)).toHaveLength(1);
  expect(await ends()('i', day + 600_000)).toBe(false);
});
