import { afterAll, expect, test } from 'vitest';
import type { RetentionCategory } from '../../../src/domain/log/retention.ts';
import { retentionStream } from '../../../src/domain/streams.ts';
import { drop } from '../../../src/projections/rebuild/drop.ts';
import { rebuild } from '../../../src/projections/rebuild/rebuild.ts';
import { verify } from '../../../src/projections/rebuild/verify.ts';
import { memoryStore } from '../../support/memory/memory-store.ts';
import {
  account,
  activated,
  addon,
  issued,
  organization,
  redeemed,
  revoked,
  session,
  type Told,
  told,
} from '../follow/a-story.ts';
import { rebuildScene } from './scene.ts';

const scene = await rebuildScene();
afterAll(() => scene.close());

const removed = (category: RetentionCategory, ids: readonly string[]): Told => {
  const streams = ids.map((id) => ({ id, leaves: [1], hashes: ['AA'] }));
  const total = { session: 0, 'unredeemed-grant': 0 };
  return told(retentionStream, 'StreamsRemoved', { category, streams, total });
};

/** G1 was allowed by nobody else, G2 in addition to one that was redeemed, G4 to one that ended without a token. */
test('GR-04: read models built from a log with and without what was removed are those that are live', async () => {
  await scene.tell(organization('O1'), addon('A1'), addon('A2'), account('U1'), activated(1));
  await scene.tell(issued('G2'), issued('G3'), redeemed('G3'), ...session('S1'), ...session('S2'));
  await scene.tell(issued('G1', undefined, 'A2'), issued('G4', undefined, 'A3'));
  await scene.tell(issued('G5', undefined, 'A3'), revoked('G5'));
  await scene.tell(removed('unredeemed-grant', ['G1', 'G2', 'G4']), removed('session', ['S1']));
  await scene.tell(issued('G6'));
  await scene.settle();

  const { rows: left } = await scene.side.pool.query('select grant_id from grants order by 1');
  expect(left.map((row: { readonly grant_id: string }) => row.grant_id)).toEqual(['G3', 'G5', 'G6']);
  const { rows: held } = await scene.side.pool.query(
    'select addon_id, unredeemed, live from connections order by 1',
  );
  expect(held).toEqual([
    { addon_id: 'A1', unredeemed: 1, live: 1 },
    { addon_id: 'A3', unredeemed: 0, live: 0 },
  ]);
  const { rows: streams } = await scene.side.pool.query('select stream from history_streams order by 1');
  expect(streams.map((row: { readonly stream: string }) => row.stream)).toEqual([
    'grant-G3',
    'grant-G5',
    'grant-G6',
    'session-S2',
  ]);
  const gone = ['grant-G1', 'grant-G2', 'grant-G4', 'session-S1'];
  const scavenged = memoryStore(
    {},
    scene.store.all().filter(({ stream }) => !gone.includes(stream)),
  );
  for (const log of [scene.store, scavenged])
    for (const name of ['grants', 'history']) {
      const needs = { ...scene.needs, log };
      const { version } = await rebuild(needs, { name });
      expect((await verify(needs, { name, version })).differences).toEqual([]);
      await drop(needs, { name, version });
    }
});
