import fc from 'fast-check';
import { expect, test } from 'vitest';
import { outageWithin } from '../../../src/domain/access/outage.ts';

test('OP-10: what several instances saw of one outage counts once, and only between the two moments', () => {
  const moment = fc.nat(60);
  const outages = fc.array(fc.record({ began: moment, ended: moment }), { maxLength: 6 });
  fc.assert(
    fc.property(outages, moment, moment, (all, from, until) => {
      let expected = 0;
      for (let at = from; at < until; at += 1)
        if (all.some(({ began, ended }) => began <= at && at < ended)) expected += 1;
      expect(outageWithin(all, from, until)).toBe(expected);
    }),
  );
});
