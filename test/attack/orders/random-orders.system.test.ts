import fc from 'fast-check';
import { expect, test } from 'vitest';
import { propertyRuns } from '../../support/property-runs.ts';
import { isRelease } from '../../support/tiers.ts';
import { mutations } from './mutations.ts';
import { holds, successesIn } from './random-orders.ts';

const { numRuns } = propertyRuns(isRelease ? 1_000 : 300);

test(`DE-02, DE-03, DE-04, DE-05: everybody at once, in ${numRuns} orders`, async () => {
  expect(Math.min(...(await successesIn(numRuns)))).toBeGreaterThan(0);
});

test.each(mutations)('DE-02, DE-03: everybody at once breaks with %s', async (mutation) => {
  // With this seed, each is found soon.
  const found = await fc.check(holds(mutation), { numRuns: 2_000, seed: 19, endOnFailure: true });
  expect(String(found.errorInstance)).toMatch(/P[12]: /);
  expect(found.failed, `${found.numRuns} orders`).toBe(true);
});
