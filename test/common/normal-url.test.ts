import { expect, test } from 'vitest';
import { normalUrl } from '../../src/common/normal-url.ts';

test.each([
  ['https://Auth.Example:443/%61/../%7eb%2fc//', 'https://auth.example/~b%2Fc'],
  ['https://auth.example//', 'https://auth.example'],
  ['no URL/', 'no URL/'],
])('FX-63: the one spelling of %s', (text, normal) => {
  expect([normalUrl(text), normalUrl(normal)]).toEqual([normal, normal]);
});

test('FX-63: a long URL that anybody sends takes no longer than it is long', () => {
  const long = `https://auth.example${'/'.repeat(500_000)}x`; // would take minutes where each slash is tried with all after it
  expect(normalUrl(`${long}/`)).toBe(long);
});
