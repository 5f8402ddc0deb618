import fc from 'fast-check';
import { expect, test } from 'vitest';
import { comparePositions } from '../../../src/eventstore/event-store.ts';
import { sequenceOf } from '../../../src/kafka/contract/to-message.ts';
import { propertyRuns } from '../../support/property-runs.ts';

const half = fc.oneof(fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }), fc.bigInt({ min: 0n, max: 20n }));
const position = fc.record({ commit: half, prepare: half });

test('sequences sort as the places in the log do', () => {
  fc.assert(
    fc.property(position, position, (a, b) => {
      const [first, second] = [sequenceOf(a), sequenceOf(b)];
      expect(Math.sign(comparePositions(a, b))).toBe(first === second ? 0 : first < second ? -1 : 1);
    }),
    propertyRuns(300),
  );
});
