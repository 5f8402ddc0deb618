import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Pool } from 'pg';
import { makeCountSilentGrant } from '../../src/projections/silent-grants.ts';
import { testReadModels, type TestReadModels } from '../support/read-models.ts';

let side: TestReadModels;
beforeAll(async () => {
  side = await testReadModels();
});
afterAll(() => side.close());

/** The pool, and what was sent through it. */
const listening = () => {
  const sent: string[] = [];
  const query = (said: string | { readonly text: string }, values?: unknown[]) => {
    sent.push(typeof said === 'string' ? said : said.text);
    return side.pool.query(said as string, values);
  };
  return { sent, pool: { query } as unknown as Pool };
};

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

test('GR-06: what is worth nothing any more goes, with one statement in many', async () => {
  const old = Array.from({ length: 1_000 }, (_, index) => `old${index}`);
  await side.pool.query("insert into silent_grants select unnest($1::text[]), '{1}', 1", [old]);
  const { sent, pool } = listening();
  const count = makeCountSilentGrant({ pool });
  for (let time = 0; time < 10; time += 1) expect(await count('session', 'addon')).toBeNull();
  const { rows } = await side.pool.query('select key from silent_grants');
  expect(rows).toEqual([{ key: 'session addon' }]);
  expect(sent.filter((text) => text.includes('delete'))).toHaveLength(1);
});
