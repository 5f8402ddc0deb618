import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readPageParameters } from '../../src/http/lists/page-parameters.ts';
import { parseParams } from '../../src/http/params.ts';

const read = (raw: string) => readPageParameters(parseParams(raw));
const problems = (raw: string) => {
  const asked = read(raw);
  return asked.ok ? [] : asked.errors.map(({ parameter, code }) => `${parameter} ${code}`);
};

test('LI-04: page is 1 and per_page 25 when they are not sent', () => {
  expect(read('')).toEqual({ ok: true, value: { page: 1, perPage: 25, perPageSent: false } });
});

test.each(['page=1&per_page=100', 'page=2147483647', 'per_page=1'])('%s is accepted', (raw) => {
  expect(read(raw).ok).toBe(true);
});

test.each([
  ['page=0', 'page out-of-range'],
  ['page=-1', 'page out-of-range'],
  ['page=1.5', 'page not-an-integer'],
  ['page=1e3', 'page not-an-integer'],
  ['page=%2B2', 'page not-an-integer'],
  ['page=+2', 'page not-an-integer'],
  ['page=02', 'page not-an-integer'],
  ['page=-0', 'page not-an-integer'],
  ['page=abc', 'page not-an-integer'],
  ['page=%00', 'page not-an-integer'],
  ['page=٢', 'page not-an-integer'],
  ['page=', 'page empty'],
  ['page', 'page empty'],
  ['page=1&page=1', 'page repeated'],
  ['page=2147483648', 'page out-of-range'],
  ['page=99999999999999999999999', 'page out-of-range'],
  ['per_page=101', 'per_page out-of-range'],
  ['per_page=0', 'per_page out-of-range'],
  ['perpage=10', 'perpage unknown'],
  ['PAGE=1', 'PAGE unknown'],
  ['page[]=1', 'page[] unknown'],
  ['access_token=x', 'access_token unknown'],
  ['__proto__=1', '__proto__ unknown'],
])('LI-06: %s is refused as "%s"', (raw, problem) => {
  expect(problems(raw)).toEqual([problem]);
});

test('LI-06: every wrong parameter is named at once, with what is allowed', () => {
  const asked = read('page=0&per_page=1000&sort=name');
  expect(asked).toEqual({
    ok: false,
    errors: [
      { parameter: 'page', code: 'out-of-range', allowed: 'a whole number from 1 to 2147483647' },
      { parameter: 'per_page', code: 'out-of-range', allowed: 'a whole number from 1 to 100' },
      { parameter: 'sort', code: 'unknown', allowed: 'page, per_page' },
    ],
  });
});

test('LI-06: what is accepted is the number as it was written', () => {
  const readsBack = (text: string) => {
    const asked = readPageParameters(new Map([['page', [text]]]));
    return !asked.ok || String(asked.value.page) === text;
  };
  expect(fc.check(fc.property(fc.oneof(fc.string(), fc.nat().map(String)), readsBack)).failed).toBe(false);
});
