import { expect, test } from 'vitest';
import { withoutBase } from '../../../src/http/base/base-path.ts';

test.each([
  ['/~grant/b/account?x=1', '/account?x=1'],
  ['/%7egrant/b/account', '/account'],
  ['/%7Egrant/%62', '/'],
  ['/%7Egrant/b?x=/1', '/?x=/1'],
  ['/~grant/better', '/~grant/better'],
  ['/account', '/account'],
])('FX-63: below the path of the public address, %s is %s, however a proxy spells it', (url, expected) => {
  expect(withoutBase(url, '/~grant/b', new Set(['account']))).toBe(expected);
});
