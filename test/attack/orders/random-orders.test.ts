import { expect, test } from 'vitest';
import { propertyRuns } from '../../support/property-runs.ts';
import { successesIn } from './random-orders.ts';

const { numRuns } = propertyRuns(50);

test(`DE-02, DE-03, DE-04, DE-05: everybody at once, in ${numRuns} orders`, async () => {
  expect(Math.min(...(await successesIn(numRuns)))).toBeGreaterThan(0);
});
