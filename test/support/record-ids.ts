import fc from 'fast-check';

/** The alphabet of AP-04, as it is written there. */
const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._~:@+/=-'.split('');

/** Ids that something might take for something else: a path, an option, a number, part of a name of ours; and pairs that differ little. */
export const someIds: readonly string[] = [
  '.',
  '..',
  '-',
  '--json',
  '=',
  ':',
  '@',
  '/',
  'a.b',
  'a.B',
  'A.b',
  'a/b',
  'a/../b',
  './a.b',
  '/etc/passwd',
  'ab.',
  'ab',
  'Ab',
  '.ab',
  '_ab',
  '0',
  '00',
  '-0',
  '1e3',
  'null',
  '__proto__',
  'constructor',
  '=1+1',
  'ada@example.com',
  'Ada@example.com',
  'ada+1@example.com',
  '7@profile-O.p1',
  'profile-O.p1',
  'profile:O.p1',
  'grant-01K9RZ3Q5V0000000000000003',
  '01K9RZ3Q5V0000000000000003',
  '01K9RZ3Q5V0000000000000003.p1',
  '550e8400-e29b-41d4-a716-446655440000',
  '550E8400-E29B-41D4-A716-446655440000',
  'https://host.example:443/p/1',
  'YQ==',
  'YQ=',
  'x'.repeat(64),
  'x'.repeat(65),
  'x'.repeat(127),
  'x'.repeat(128),
  '-'.repeat(128),
  letters.join(''),
];

export const anyId: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom(...someIds),
  fc.array(fc.constantFrom(...letters), { minLength: 1, maxLength: 128 }).map((chosen) => chosen.join('')),
);

const isAllowed = (text: string): boolean =>
  text.length >= 1 && text.length <= 128 && text.split('').every((letter) => letters.includes(letter));

/** Texts that no record may have as its id. */
export const noId: fc.Arbitrary<string> = fc
  .oneof(
    fc.constantFrom(
      '',
      ' ',
      'a b',
      ' a',
      'a ',
      'a\n',
      '\n',
      'a\u0000',
      '%',
      'a%2Fb',
      '%2e',
      'a\\b',
      '$$a',
      'ä',
      'ａ',
    ),
    fc.constantFrom(
      'a#b',
      'a?b',
      'a&b',
      'a*b',
      'a,b',
      'a;b',
      "a'b",
      'a"b',
      'a<b',
      'a|b',
      'a!b',
      '(a)',
      '[a]',
      '\u202ea',
    ),
    fc.constant('x'.repeat(129)),
    fc.string({ unit: 'grapheme', maxLength: 140 }),
  )
  .filter((text) => !isAllowed(text));
