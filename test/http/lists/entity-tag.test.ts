import fc from 'fast-check';
import { expect, test } from 'vitest';
import { entityTag, versionsIn } from '../../../src/http/lists/lists.ts';

const strong = (version: string) => entityTag(version).slice(2);

test('a tag of ours is found again, weak or strong, among others (RFC 9110 §13.1.2)', () => {
  expect(entityTag('abc')).toMatch(/^W\/"[!#-~]+"$/);
  expect(versionsIn(entityTag('abc'))).toEqual(['abc']);
  expect(versionsIn(strong('abc'))).toEqual(['abc']);
  expect(versionsIn(`"other", ${entityTag('a_-')}  ,W/"x,y",, ${strong('b')},${entityTag('b')}`)).toEqual([
    'a_-',
    'b',
  ]);
});

test('a star names whatever there is', () => {
  expect(versionsIn('*')).toBe('*');
  expect(versionsIn(' * ')).toBe('*');
  expect(versionsIn(`*, ${entityTag('abc')}`)).toEqual(['abc']);
});

test.each([
  undefined,
  '',
  'abc',
  '"abc"',
  'W/""',
  '"1."',
  '"0.abc"',
  `"1.${'a'.repeat(65)}"`,
  '"1.a b"',
  "'1.a'",
])('%s names no version of ours', (header) => {
  expect(versionsIn(header)).toEqual([]);
});

test('LI-06: of a thousand tags the first sixteen of ours are looked for', () => {
  const tags = Array.from({ length: 1_000 }, (_, at) => entityTag(`v${at}`));
  expect(versionsIn(`"x", ${tags.join(', ')}`)).toEqual(tags.slice(0, 16).map((_, at) => `v${at}`));
});

test('LI-06: whatever else is sent, at most sixteen versions are looked for, each of letters that a version has', () => {
  const part = fc.oneof(fc.string(), fc.stringMatching(/^[A-Za-z0-9_-]{1,64}$/).map(entityTag));
  fc.assert(
    fc.property(fc.array(part, { maxLength: 60 }), (parts) => {
      const versions = versionsIn(parts.join(', '));
      if (versions === '*') return;
      expect(versions.length).toBeLessThanOrEqual(16);
      for (const version of versions) expect(version).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
    }),
    { numRuns: 50 },
  );
});
