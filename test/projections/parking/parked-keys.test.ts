import { expect, test } from 'vitest';
import { loadParkedKeys } from '../../../src/projections/parking/parked-keys.ts';
import type { Tx } from '../../../src/projections/follow/projection.ts';

/** @param keys parked in the table @param skipped ids of events */
const load = (keys: readonly { readonly projection: string; readonly stream: string }[], skipped: string[]) =>
  loadParkedKeys({
    tx: { query: () => Promise.resolve({ rows: [{ changes: '7', keys }] }) } as unknown as Tx,
    name: 'projector',
    projections: ['grants', 'lists'],
    skipped: (projection) => Promise.resolve(new Set(projection === 'grants' ? skipped : [])),
  });
const event = { id: 'E1', stream: 'grant-G1' };

test('nothing is to be looked at only where nothing is parked and nothing was skipped', async () => {
  expect((await load([], [])).isEmpty()).toBe(true);
  expect((await load([], ['E1'])).isEmpty()).toBe(false);
  const parked = await load([{ projection: 'grants', stream: 'grant-G1' }], []);
  expect(parked.isEmpty()).toBe(false);
  expect([parked.count(), parked.changes()]).toEqual([1, '7']);
});

test('later events of a parked key wait, a skipped event is left out, each for its projection alone', async () => {
  const parked = await load([{ projection: 'lists', stream: 'grant-G1' }], ['E1']);
  expect(parked.routeOf('grants', event)).toBe('leave-out');
  expect(parked.routeOf('grants', { ...event, id: 'E2' })).toBe('apply');
  expect(parked.routeOf('lists', event)).toBe('wait');
  expect(parked.routeOf('lists', { ...event, stream: 'grant-G2' })).toBe('apply');
  parked.add('grants', 'grant-G1');
  expect(parked.routeOf('grants', { ...event, id: 'E2' })).toBe('wait');
});
