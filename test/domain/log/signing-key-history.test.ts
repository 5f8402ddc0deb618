import { expect, test } from 'vitest';
import { fold } from '../../../src/domain/kernel/decision.ts';
import {
  type KeyInUse,
  missingKeyEvents,
  signingKeyDecider,
  type SigningKeyEvent,
} from '../../../src/domain/log/signing-key-history.ts';

const key = { kid: 'K1', alg: 'RS256', publicJwk: '{}', createdAt: 10, currentFrom: 20 };
const [now, at] = [100, 50];
const made: SigningKeyEvent = { type: 'SigningKeyMade', data: { ...key, at } };
const published: SigningKeyEvent = { type: 'SigningKeyPublished', data: { kid: 'K1', at } };
const superseded = { at: 60, by: 'K2', publishedUntil: 200 };
const retired = (reason: 'superseded' | 'missing', until = 200): SigningKeyEvent =>
  reason === 'superseded'
    ? {
        type: 'SigningKeyRetired',
        data: { kid: 'K1', at: 60, publishedUntil: until, reason, successor: 'K2' },
      }
    : {
        type: 'SigningKeyRetired',
        data: { kid: 'K1', at: now, publishedUntil: now, reason, successor: null },
      };

const missing = (history: readonly SigningKeyEvent[], inUse: KeyInUse | null, present = inUse !== null) =>
  missingKeyEvents(
    fold(signingKeyDecider, history),
    inUse ? [inUse] : [],
    new Set(present ? ['K1'] : []),
    now,
  );
const inUse = { ...key, superseded: null };

test('of a key that the log does not have, since it was restored: that it was made, and is published now', () => {
  expect(missing([], inUse)).toEqual([
    { type: 'SigningKeyMade', data: { ...key, at: now } },
    { type: 'SigningKeyPublished', data: { kid: 'K1', at: now } },
  ]);
});

test('of a key whose maker crashed: it is published now', () => {
  expect(missing([made], inUse)).toEqual([{ type: 'SigningKeyPublished', data: { kid: 'K1', at: now } }]);
});

test('of a key that signs, and of one whose end is known: nothing', () => {
  expect(missing([made, published], inUse)).toEqual([]);
  expect(missing([made, published, retired('superseded')], { ...key, superseded })).toEqual([]);
});

test('of a key that was superseded since: that it signs no more', () => {
  expect(missing([made, published], { ...key, superseded })).toEqual([retired('superseded')]);
});

test('of a key that somebody has deleted: that it is missing, once', () => {
  expect(missing([made, published], null)).toEqual([retired('missing')]);
  expect(missing([made, published, retired('missing')], null)).toEqual([]);
  expect(missing([made], null)).toEqual([]); // nobody has seen it
  expect(missing([made, published], null, true)).toEqual([]); // its row is there, but not to be trusted
});

test('of a key that has come back: it is published again, and its end is said once more', () => {
  const history = [made, published, retired('missing')];
  const again: SigningKeyEvent = { type: 'SigningKeyPublished', data: { kid: 'K1', at: now } };
  expect(missing(history, inUse)).toEqual([again]);
  expect(missing(history, { ...key, superseded })).toEqual([again, retired('superseded')]);
  expect(missing(history, { ...key, superseded: { ...superseded, publishedUntil: now } })).toEqual([]);
});
