import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { macFor, parseTokenKeys, subkeyFor } from '../../src/commands/token-keys.ts';

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
