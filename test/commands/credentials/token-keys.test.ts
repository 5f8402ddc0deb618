import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import {
  hiddenUnder,
  macFor,
  parseTokenKeys,
  subkeyFor,
  subkeysFor,
} from '../../../src/commands/credentials/token-keys.ts';

const key = () => randomBytes(32).toString('base64url');

test('the first key is the current one and the others stay valid', () => {
  const keys = parseTokenKeys(`new:${key()}, old:${key()}`);
  expect(keys.current).toBe('new');
  expect([...keys.keys.keys()]).toEqual(['new', 'old']);
});

test.each([
  ['', 'must have an id'],
  [`:${key()}`, 'must have an id'],
  [`a-b:${key()}`, 'must have an id'],
  ['k1:c2hvcnQ', 'k1 must be 32 bytes'],
  [`k1:${key()}=`, 'k1 must be 32 bytes'],
  [`k1:${key()},k1:${key()}`, 'same id'],
])('%s is refused with a reason: %s', (text, reason) => {
  expect(() => parseTokenKeys(text)).toThrow(reason);
});

test('G-05: the reason never holds the key', () => {
  const secret = randomBytes(31).toString('base64url');
  expect(() => parseTokenKeys(`k1:${secret}`)).toThrow(
    expect.not.objectContaining({ message: expect.stringContaining(secret) as string }) as Error,
  );
});

test('a value made for one purpose says nothing in another, and an unknown key makes none', () => {
  const keys = parseTokenKeys(`k1:${key()}`);
  expect(macFor(keys, 'k1', 'secret', 'x')).toEqual(macFor(keys, 'k1', 'secret', 'x'));
  expect(macFor(keys, 'k1', 'secret', 'x')).not.toEqual(macFor(keys, 'k1', 'tag', 'x'));
  expect(subkeyFor(keys, 'k2', 'tag')).toBeNull();
});

test('the subkeys of one purpose begin with that of the current key, wherever it stands among the keys', () => {
  const { keys } = parseTokenKeys(`older:${key()},newer:${key()},oldest:${key()}`);
  const ring = { current: 'newer', keys };
  const subkeys = subkeysFor(ring, 'cursor');
  expect(subkeys.map(({ id }) => id)).toEqual(['newer', 'older', 'oldest']);
  expect(subkeys.map(({ key: subkey }) => subkey)).toEqual(
    subkeys.map(({ id }) => subkeyFor(ring, id, 'cursor')?.export()),
  );
  expect(() => subkeysFor({ current: 'gone', keys }, 'cursor')).toThrow('gone is not among the keys');
});

test('what stands for a text is the same under the same current key, and says nothing of the text', () => {
  const keys = parseTokenKeys(`k1:${key()}`);
  const hide = hiddenUnder(keys, 'rate-limit');
  expect(hide('10.1.2.3')).toBe(hiddenUnder({ ...keys }, 'rate-limit')('10.1.2.3'));
  expect(hide('10.1.2.3')).not.toBe(hide('10.1.2.4'));
  expect(hide('10.1.2.3')).not.toContain('10.1.2.3');
});
