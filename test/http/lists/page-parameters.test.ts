import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Cursor, makeCursors } from '../../../src/http/lists/cursor.ts';
import { readPageParameters } from '../../../src/http/lists/page-parameters.ts';
import { parseParams } from '../../../src/http/requests/params.ts';

const key = { id: 'k1', key: new Uint8Array(32).fill(7) };
const cursors = makeCursors([key]);
const cursor: Cursor = {
  page: 2,
  perPage: 25,
  list: 7n,
  direction: 'after',
  position: { organizationId: '01JD0000000000000000000000', ordinal: 24 },
  bound: 9n,
  sync: { position: 9n, state: 0n, minutes: 0 },
};
const text = cursors.encrypt(cursor);
const elsewhere = makeCursors([{ ...key, id: 'k0' }]).encrypt(cursor);

const read = (raw: string) => readPageParameters(parseParams(raw), cursors);
const problems = (raw: string) => {
  const asked = read(raw);
  return asked.ok ? [] : asked.errors.map(({ parameter, code }) => `${parameter} ${code}`);
};

test('LI-04: page is 1 and per_page 25 when they are not sent', () => {
  expect(read('')).toEqual({ ok: true, value: { page: 1, perPage: 25, perPageSent: false, cursor: null } });
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
  ['per_page=-1', 'per_page out-of-range'],
  ['per_page=1.0', 'per_page not-an-integer'],
  ['per_page=1e3', 'per_page not-an-integer'],
  ['per_page=%2B2', 'per_page not-an-integer'],
  ['per_page=%202', 'per_page not-an-integer'],
  ['per_page=02', 'per_page not-an-integer'],
  ['per_page=', 'per_page empty'],
  ['per_page=abc', 'per_page not-an-integer'],
  ['per_page=5&per_page=5', 'per_page repeated'],
  ['per_page=2147483648', 'per_page out-of-range'],
  ['page=%202', 'page not-an-integer'],
  ['page=2%20', 'page not-an-integer'],
  ['page=2%0A', 'page not-an-integer'],
  ['page=0x10', 'page not-an-integer'],
  ['page=Infinity', 'page not-an-integer'],
  ['cursor=', 'cursor empty'],
  ['cursor', 'cursor empty'],
  ['cursor=x', 'cursor malformed'],
  [`cursor=${text}%3D`, 'cursor malformed'],
  [`cursor=${'A'.repeat(9_000)}`, 'cursor malformed'],
  [`cursor=${text.slice(0, -4)}AAAA`, 'cursor forged'],
  [`cursor=${text.slice(0, 112)}`, 'cursor forged'],
  [`cursor=${text}&cursor=${text}`, 'cursor repeated'],
  ['Cursor=x', 'Cursor unknown'],
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
      { parameter: 'sort', code: 'unknown', allowed: 'page, per_page, cursor, sync_token' },
    ],
  });
});

test('LI-06: what is accepted is the number as it was written', () => {
  const readsBack = (text: string) => {
    const asked = readPageParameters(new Map([['page', [text]]]), cursors);
    return !asked.ok || String(asked.value.page) === text;
  };
  expect(fc.check(fc.property(fc.oneof(fc.string(), fc.nat().map(String)), readsBack)).failed).toBe(false);
});

test('LI-03: a cursor of ours is read; one of a key that is gone is as good as none', () => {
  const cursorIn = (raw: string) => {
    const asked = read(raw);
    return asked.ok ? asked.value.cursor : 'refused';
  };
  expect(cursorIn(`page=2&cursor=${text}`)).toEqual(cursor);
  expect(cursorIn(`page=2&cursor=${elsewhere}`)).toBeNull();
});

test('LI-06: of thousands of wrong parameters the first twenty are named', () => {
  const asked = read(Array.from({ length: 3_000 }, (_, at) => `x${at}=1`).join('&'));
  expect(asked.ok ? 0 : asked.errors.length).toBe(20);
});
