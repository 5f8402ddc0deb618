import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { makeEndInteraction } from '../../src/projections/ended-interactions.ts';
import { testReadModels, type TestReadModels } from '../support/read-models.ts';

let side: TestReadModels;
beforeAll(async () => {
  side = await testReadModels();
});
afterEach(async () => void (await side.pool.query('truncate ended_interactions')));
afterAll(() => side.close());

const day = 86_400_000;
const ends = (at: number) => makeEndInteraction({ pool: side.pool, now: () => at });
const kept = async () => {
  const { rows } = await side.pool.query<{ id: string }>('select id from ended_interactions order by id');
  return rows.map(({ id }) => id);
};

test('AZ-40: of many that race to end an interaction one gets through, and nobody later', async () => {
  const race = await Promise.all(Array.from({ length: 20 }, () => ends(day)('i', day + 600_000)));
  expect(race.filter(Boolean)).toHaveLength(1);
  expect(await ends(day)('i', day + 600_000)).toBe(false);
});

test('what has expired, also by a clock that is ten minutes behind, is forgotten, a little each time', async () => {
  for (const [id, expiresAt] of [
    ['old', day - 600_001],
    ['young', day - 600_000],
  ] as const)
    await ends(0)(id, expiresAt);
  await ends(day)('new', day + 600_000);
  expect(await kept()).toEqual(['new', 'young']);
  const many = Array.from({ length: 1_000 }, (_, index) => `old${index}`);
  await side.pool.query('insert into ended_interactions select unnest($1::text[]), 1', [many]);
  await ends(day)('newer', day + 600_000);
  const left = (await kept()).length;
  expect(left).toBeLessThan(1_003); // more go than come
  expect(left).toBeGreaterThan(500); // nobody waits for all of a busy day to go
});

test('nobody waits for another who is just forgetting the same', async () => {
  await ends(0)('old', 1);
  const other = await side.pool.connect();
  try {
    await other.query('begin');
    await other.query('delete from ended_interactions');
    expect(await ends(day)('new', day + 600_000)).toBe(true);
  } finally {
    await other.query('rollback');
    other.release();
  }
});
