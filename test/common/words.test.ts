import { expect, test } from 'vitest';
import { messagesOf } from '../../src/common/words.ts';

const english = {
  locale: 'en-GB',
  title: 'Your account',
  effects: ['One', 'Two'],
  none: null,
  access: {
    'allowed(addon)': 'Allowed: {addon}',
    'grants(#n, since?)':
      '{n, plural, =0 {None} one {# grant} other {# grants}}{since, select, null {} other { since {since}}}',
  },
};

test('a text is a string, and a message a function of what its id names', () => {
  const words = messagesOf(english);
  expect([words.title, words.effects, words.none]).toEqual(['Your account', ['One', 'Two'], null]);
  expect(words.access.allowed('Door <b>{x}')).toBe('Allowed: Door <b>{x}');
  expect([0, 1, 1000].map((n) => words.access.grants(n, null))).toEqual(['None', '1 grant', '1,000 grants']);
  expect(words.access.grants(2, 'May')).toBe('2 grants since May');
});

test('plurals and numbers are those of the language', () => {
  const own = {
    access: { 'grants(#n, since?)': '{n, plural, one {# dzień} few {# dni} many {# dni} other {# dnia}}' },
  };
  const { access } = messagesOf(english, own, 'pl');
  expect([1, 3, 5, 10_000].map((n) => access.grants(n, null))).toEqual([
    '1 dzień',
    '3 dni',
    '5 dni',
    '10\u00a0000 dni',
  ]);
  // What is missing is English, with the plurals of English.
  expect(messagesOf(english, {}, 'pl').access.grants(10_000, null)).toBe('10,000 grants');
  expect(messagesOf(english, {}, 'pl').title).toBe('Your account');
});

test('a call with another number or kind of arguments does not compile', () => {
  const { access } = messagesOf(english);
  // @ts-expect-error the number is missing
  const without = () => access.grants();
  // @ts-expect-error a text is no number
  const wrong = () => access.grants('many', null);
  // @ts-expect-error this may not be null
  const empty = () => access.allowed(null);
  // @ts-expect-error there is no such message
  const unknown = () => access.refused('x');
  expect([without, wrong, empty, unknown]).toHaveLength(4);
});
