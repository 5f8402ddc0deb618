import { expect, test } from 'vitest';
import { makeRecordBook } from '../../src/audit/exposure/record-book.ts';

const all = { list: 'reservations', userId: null } as const;
const of = (userId: string, list: 'profiles' | 'reservations' = 'reservations') => ({ list, userId });

/** A change of a profile of a user, or of a reservation of a profile. */
const profile = (id: string, owner: string | null, present = true) =>
  ({ list: 'profiles', id, present, owner }) as const;
const reservation = (id: string, owner: string | null, present = true) =>
  ({ list: 'reservations', id, present, owner }) as const;

test('a record is in the list of the user whose profile it is of, and moves with the profile', () => {
  const book = makeRecordBook();
  book.apply(profile('P1', 'ada'));
  expect(book.apply(reservation('R1', 'P1')).entered.map(({ view }) => view)).toEqual([all, of('ada')]);
  book.apply(reservation('R2', null));
  expect([book.total(all), book.total(of('ada')), book.total(of('bo'))]).toEqual([2, 1, 0]);
  expect(book.apply(profile('P1', 'bo')).entered.map(({ view }) => view)).toEqual([
    of('bo', 'profiles'),
    of('bo'),
  ]);
  expect([book.total(of('ada')), book.total(of('bo'))]).toEqual([0, 1]);
  expect([book.knows('ada'), book.knows('bo')]).toEqual([false, true]);
  book.apply(profile('P1', null, false));
  expect([book.total(all), book.total(of('bo')), book.knows('bo')]).toEqual([2, 0, false]);
});

test('a record that comes back says when it had left', () => {
  const book = makeRecordBook();
  expect(book.apply(reservation('R1', null)).entered).toEqual([{ view: all, leftAt: -1 }]);
  expect(book.apply(reservation('R1', null)).entered).toEqual([]);
  book.apply(reservation('R1', null, false));
  const left = book.now();
  expect(book.total(all)).toBe(0);
  expect(book.apply(reservation('R1', null)).entered).toEqual([{ view: all, leftAt: left }]);
});

test('a profile that changes hands names both users; any other change names none', () => {
  const book = makeRecordBook();
  expect(book.apply(profile('P1', 'ada')).users).toEqual(['ada']);
  expect(book.apply(profile('P1', 'ada')).users).toEqual([]);
  expect(book.apply(reservation('R1', 'P1')).users).toEqual([]);
  expect(book.apply(profile('P1', 'bo')).users).toEqual(['ada', 'bo']);
  expect(book.apply(profile('P1', null, false)).users).toEqual(['bo']);
});
