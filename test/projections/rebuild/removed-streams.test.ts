import type { Pool } from 'pg';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import type { DomainEvent } from '../../../src/domain/events.ts';
import type { RetentionCategory } from '../../../src/domain/log/retention.ts';
import { retentionStream, sessionStream } from '../../../src/domain/streams.ts';
import { takeLease } from '../../../src/projections/follow/checkpoint.ts';
import { grants } from '../../../src/projections/access/grants.ts';
import { loadParkedKeys, noneSkipped } from '../../../src/projections/parking/parked-keys.ts';
import type { Position } from '../../../src/eventstore/event-store.ts';
import type { Projection, Tx } from '../../../src/projections/follow/projection.ts';
import { advance, type Worker } from '../../../src/projections/rebuild/advance.ts';
import { drop } from '../../../src/projections/rebuild/drop.ts';
import { rebuildableOf } from '../../../src/projections/rebuild/rebuildables.ts';
import { rebuild } from '../../../src/projections/rebuild/rebuild.ts';
import { verify } from '../../../src/projections/rebuild/verify.ts';
import { memoryStore } from '../../support/memory/memory-store.ts';
import { testReadModels } from '../../support/log/read-models.ts';
import { positionOf, scriptedLog } from '../../support/log/test-projector.ts';
import {
  account,
  activated,
  addon,
  issued,
  organization,
  redeemed,
  revoked,
  tell,
  type Told,
} from '../follow/a-story.ts';
import { rebuildScene, type RebuildScene } from './scene.ts';

let scene: RebuildScene;
beforeAll(async () => {
  scene = await rebuildScene();
});
afterAll(() => scene.close());

const session = (sessionId: string): readonly Told[] => {
  const data = {
    sessionId,
    userId: 'U1',
    keyId: 'k1',
    salt: 'salt',
    at: 1,
    expiresAt: 2,
    device: null,
    network: null,
    upstream: null,
    passkey: null,
  };
  const stream = sessionStream(sessionId);
  return [
    { stream, event: { type: 'SessionStarted', data } },
    { stream, event: { type: 'SessionEnded', data: { at: 2 } } },
  ];
};
const removed = (category: RetentionCategory, ids: readonly string[]): Told => {
  const streams = ids.map((id) => ({ id, leaves: [1], hashes: ['AA'] }));
  const total = { session: 0, 'unredeemed-grant': 0 };
  const event = { type: 'StreamsRemoved', data: { category, streams, total, at: 3 } } satisfies DomainEvent;
  return { stream: retentionStream, event };
};

/** G1 was allowed by nobody else, G2 beside one that was redeemed, G4 beside one that ended without a token. */
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
  for (const [log, workers] of [[scene.store, 3] as const, [scavenged, 1] as const])
    for (const name of ['grants', 'history']) {
      const needs = { ...scene.needs, log };
      const { version } = await rebuild(needs, { name, workers });
      expect((await verify(needs, { name, version })).differences).toEqual([]);
      await drop(needs, { name, version });
    }
});

/** Two connections that write the tables side by side, each with a lease of its own. */
const twoWorkers = async (pool: Pool): Promise<readonly Worker[]> => {
  const workers: Worker[] = [];
  for (const name of ['1of2', '2of2']) {
    const tx = await pool.connect();
    onTestFinished(() => tx.release());
    const taken = await takeLease(tx, name);
    const parked = await loadParkedKeys({ tx, name, projections: [grants.name], skipped: noneSkipped });
    workers.push({ tx, ...taken, parked });
  }
  return workers;
};

/**
 * Grants whose removals meet, by two workers: both have come to it, with all that is before it written, when the first goes on; and what that one
 * has counted it deletes only when the other is done, or has counted it, too, and waits for the row.
 */
const meeting = (pool: Pool): Projection => {
  let [came, done] = [0, 0];
  const isOtherWaiting = async () => {
    const { rowCount } = await pool.query(
      "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
    );
    return rowCount !== 0;
  };
  const counted = async () => expect(done > 0 || (await isOtherWaiting())).toBe(true);
  return {
    ...grants,
    begin() {
      const batch = grants.begin();
      let removes = false;
      return {
        apply(event) {
          removes ||= event.event.type === 'StreamsRemoved';
          batch.apply(event);
        },
        async write(tx) {
          if (!removes) return batch.write(tx);
          came += 1;
          await vi.waitFor(() => expect(came).toBe(2), { timeout: 10_000 });
          const query = async (statement: { readonly name: string }) => {
            if (statement.name === 'remove-grants') await vi.waitFor(counted, { timeout: 10_000 });
            return tx.query(statement as never);
          };
          await batch.write({ query: query as unknown as Tx['query'] });
          done += 1;
        },
      };
    },
  };
};

test('GR-04: of two workers that come to a removal at the same time one takes what was removed out of the counts', async () => {
  const side = await testReadModels();
  onTestFinished(() => side.close());
  const log = scriptedLog();
  tell(log, issued('G1'), issued('G2'), issued('G3'), removed('unredeemed-grant', ['G1', 'G2']));
  log.checkpoint(positionOf(40)); // as the server tells it where it filters
  const target = log.events.at(-1)?.position as Position;
  const signal = new AbortController().signal;
  const needs = { log, projection: meeting(side.pool), keyOf: rebuildableOf('grants').keyOf, signal };
  await advance({ ...needs, batchSize: 1 }, await twoWorkers(side.pool), target);

  const { grants: left, connections } = await side.dump();
  expect(left).toMatchObject([{ grant_id: 'G3' }]);
  expect(connections).toMatchObject([{ addon_id: 'A1', unredeemed: 1, live: 0 }]);
});
