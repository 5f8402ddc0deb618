import { expect, test } from 'vitest';
import { makeGrantCache } from '../../../src/commands/access/grant-cache.ts';
import { unseen } from '../../../src/commands/kernel/handle.ts';
import { grantDecider } from '../../../src/domain/access/grant.ts';

/** Numbers that look drawn, the same ones each time (a linear congruential generator). */
const drawn = () => {
  let last = 1;
  return () => (last = (last * 1_103_515_245 + 12_345) % 2 ** 31) / 2 ** 31;
};

const at = (revision: bigint) => ({ ...unseen(grantDecider), revision });

test('GR-01: with a fourth more connections in a steady rhythm than fit, most are still known', () => {
  const cache = makeGrantCache(1_000, drawn());
  let known = 0;
  for (let turn = 0; turn < 10; turn += 1)
    for (let grant = 0; grant < 1_250; grant += 1) {
      if (turn > 0 && cache.get(`g${grant}`)) known += 1;
      cache.remember(`g${grant}`, at(BigInt(turn)));
    }
  expect(known / (9 * 1_250)).toBeGreaterThan(0.5);
});

test('never more than fit are kept, and of each the newest', () => {
  const cache = makeGrantCache(3, drawn());
  const names = ['a', 'b', 'c', 'd', 'e', 'f'];
  for (const name of names) cache.remember(name, at(5n));
  for (const name of names) cache.remember(name, at(4n));
  const kept = names.map((name) => cache.get(name)?.revision).filter((revision) => revision !== undefined);
  expect(kept).toHaveLength(3);
  cache.remember('f', at(6n));
  cache.remember('f', at(5n));
  expect(cache.get('f')?.revision).toBe(6n);
});

test('GR-01: a grant that was evicted leaves no place behind, whichever place it had', () => {
  const places = [0.99, 0.5];
  const cache = makeGrantCache(2, () => places.shift() ?? 0.5);
  const names = ['a', 'b', 'c', 'd'];
  for (const name of names) cache.remember(name, at(1n));
  expect(names.filter((name) => cache.get(name) !== undefined)).toHaveLength(2);
});

test('of size 0 it keeps nothing', () => {
  const cache = makeGrantCache(0);
  cache.remember('a', at(1n));
  expect(cache.get('a')).toBeUndefined();
});
