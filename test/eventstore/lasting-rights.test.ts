import { expect, test } from 'vitest';
import { lastingMissingRights } from '../../src/eventstore/server/lasting-rights.ts';
import { everyRight, type Right } from '../../src/eventstore/server/rights-of-account.ts';

const asked = async (answers: readonly (readonly Right[])[]) => {
  const waits: number[] = [];
  let next = 0;
  const missingRights = () => Promise.resolve(answers[next++] ?? everyRight);
  const missing = await lastingMissingRights({ missingRights }, (ms) => Promise.resolve(waits.push(ms)));
  return { missing, waits };
};

test('FX-100: a server that denies everything because it has just begun to lead is asked again each second until it answers', async () => {
  expect(await asked([everyRight, everyRight, []])).toEqual({ missing: [], waits: [1_000, 1_000] });
});

test('FX-100: some rights that are missing are named at once, all of them after five seconds', async () => {
  expect(await asked([['delete']])).toEqual({ missing: ['delete'], waits: [] });
  expect(await asked([])).toEqual({ missing: everyRight, waits: [1_000, 1_000, 1_000, 1_000, 1_000] });
});
