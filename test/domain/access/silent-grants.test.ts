import { expect, test } from 'vitest';
import { admitSilentGrant, silentGrants } from '../../../src/domain/access/silent-grants.ts';

const { most, window } = silentGrants;
const full = Array.from({ length: most }, (_, place) => place);

test.each([most, window - 1001, window - 1000, window - 999, window - 1, window])(
  'GR-06: whoever waits as long as was said at %d ms is admitted, at the first whole second',
  (now) => {
    const refused = admitSilentGrant(full, now);
    if (refused.admitted) throw new Error('the window is full');
    const then = now + refused.retryAfter * 1000;
    expect(admitSilentGrant(full, then).admitted).toBe(true);
    expect(admitSilentGrant(full, then - 1000).admitted).toBe(false);
  },
);

test('GR-06: what is older than the window is not counted, and not kept', () => {
  expect(admitSilentGrant(full, window + 1)).toEqual({
    admitted: true,
    times: [...full.slice(1), window + 1],
  });
  expect(admitSilentGrant([], 7)).toEqual({ admitted: true, times: [7] });
});
