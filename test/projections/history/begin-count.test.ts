import { expect, test } from 'vitest';
import { beginCount, type CountLiveGrants } from '../../../src/projections/history/begin-count.ts';

const seven = { liveGrants: 7, unredeemedCodes: 2, approvers: 3 };
const counting = (answer: CountLiveGrants) => beginCount(answer)('O1', 'A1');

test('DE-06: the receipt names how many grants were live', async () => {
  const count = counting(() => Promise.resolve({ epoch: 3, ...seven }));
  expect(await count(3, 1000)).toEqual(seven);
});

test.each([
  { why: 'the read models speak of another epoch', answer: () => Promise.resolve({ epoch: 2, ...seven }) },
  { why: 'they have not heard of the activation', answer: () => Promise.resolve(null) },
  { why: 'they are away', answer: () => Promise.reject(new Error('Query read timeout')) },
  { why: 'they take too long', answer: () => new Promise<never>(() => undefined) },
])('DE-06: nobody waits for a number that is not known: $why', async ({ answer }) => {
  expect(await counting(answer)(3, 20)).toBe(null);
});
