import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isRepeated, one, parseParams, together } from '../../../src/http/requests/params.ts';

test('G-02: an empty value is the same as none', () => {
  const params = parseParams('state=&scope');
  expect(one(params, 'state')).toBeUndefined();
  expect(one(params, 'scope')).toBeUndefined();
});

test('G-03: names of object members are names like any other', () => {
  const params = parseParams('__proto__=1&constructor=2&a%5B%5D=3');
  expect([...params]).toEqual([
    ['__proto__', ['1']],
    ['constructor', ['2']],
    ['a[]', ['3']],
  ]);
  expect(one(params, 'toString')).toBeUndefined();
});

test('G-04: a repeat is noticed even when both values are equal, and even when one is empty', () => {
  expect(isRepeated(parseParams('code=1&code=1'), 'code')).toBe(true);
  expect(isRepeated(parseParams('code=1&code='), 'code')).toBe(true);
  expect(isRepeated(parseParams('code=1'), 'code')).toBe(false);
});

test('S1: a name sent in both places is a repeat, one sent in either is not', () => {
  const params = together(parseParams('code=1&state=q'), parseParams('code=1&scope=b'));
  expect(isRepeated(params, 'code')).toBe(true);
  expect(one(params, 'state')).toBe('q');
  expect(one(params, 'scope')).toBe('b');
});

test('any bytes can be parsed', () => {
  const parses = (bytes: Uint8Array) => parseParams(Buffer.from(bytes).toString('latin1')).size >= 0;
  expect(fc.check(fc.property(fc.uint8Array(), parses)).failed).toBe(false);
});
