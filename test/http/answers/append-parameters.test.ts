import fc from 'fast-check';
import { expect, test } from 'vitest';
import { appendParameters } from '../../../src/http/answers/append-parameters.ts';

test.each([
  ['https://a.example/cb', 'https://a.example/cb?code=1'],
  ['https://a.example/cb?x=%41&y', 'https://a.example/cb?x=%41&y&code=1'],
  ['https://a.example/cb?', 'https://a.example/cb?code=1'],
  ['https://a.example/cb?x=1&', 'https://a.example/cb?x=1&code=1'],
  ['com.example.app:/cb', 'com.example.app:/cb?code=1'],
  ['https://a.example/start#part', 'https://a.example/start?code=1#part'],
])('AZ-50: the own query of %s stays byte-identical', (uri, expected) => {
  expect(appendParameters(uri, { code: '1', state: undefined })).toBe(expected);
});

test('AZ-12: parameters can go into the fragment', () => {
  expect(appendParameters('https://a.example/cb?x=1', { error: 'e', state: 's' }, 'fragment')).toBe(
    'https://a.example/cb?x=1#error=e&state=s',
  );
});

test('AZ-15: whatever state is, the client decodes the same', () => {
  const survives = (state: string) => {
    const location = appendParameters('https://a.example/cb?x=1', { state });
    return new URL(location).searchParams.get('state') === state && /^[\x21-\x7e]+$/.test(location);
  };
  const states = fc.string({ unit: 'grapheme-ascii', minLength: 1, maxLength: 200 });
  expect(fc.check(fc.property(states, survives)).failed).toBe(false);
});
