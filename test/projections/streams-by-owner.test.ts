import { afterAll, beforeEach, expect, test, vi } from 'vitest';
import type { LogReader } from '../../src/eventstore/event-store.ts';
import { startKeepingStreams } from '../../src/projections/retention/keep-streams.ts';
import type { LeaderElectedWorker } from '../../src/projections/leadership/leader-elected-worker.ts';
import { makeStreamsByOwner } from '../../src/projections/kernel/streams-by-owner.ts';
import { eventually } from '../support/eventually.ts';
import { memoryStore } from '../support/memory/memory-store.ts';
import { quietLogger } from '../support/quiet-logger.ts';
import { testReadModels } from '../support/log/read-models.ts';
import { activated, issued, profile, profileRemoved, told, tellStore } from './follow/a-story.ts';

const side = await testReadModels();
beforeEach(async () => {
  await side.clear();
  await side.pool.query('delete from streams_by_owner; delete from record_owners');
});
afterAll(() => side.close());

/** Keeps names until the log's end has been reached. */
const keep = async (store: ReturnType<typeof memoryStore>, more: { readonly batchSize?: number } = {}) => {
  const needs = { databaseUrl: side.database.url, log: store, logger: quietLogger(), everyMs: 10 };
  const led: LeaderElectedWorker = startKeepingStreams({ ...needs, ...more });
  await led.caughtUp;
  return led;
};

const asked = (ownerId: string) =>
  makeStreamsByOwner(side.reader).streams(ownerId, ['activation', 'consent', 'profile', 'reservation']);

test('HI-01: the streams of an owner are known by their names, each once, in the order in which they begin', async () => {
  const store = memoryStore();
  await tellStore(store, profile('P2'), activated(1), issued('G1'), profile('P1'), profile('P2'));
  const led = await keep(store, { batchSize: 1 });
  await led.stop();
  expect((await asked('O1')).map(({ stream, first }) => [stream, Number(first.commit)])).toEqual([
    ['profile-O1.P2', 1],
    ['activation-O1.A1', 2],
    ['profile-O1.P1', 4],
  ]);
  expect(await makeStreamsByOwner(side.reader).streams('O1', ['activation'])).toHaveLength(1);
  expect(await asked('O')).toEqual([]);
  expect(await makeStreamsByOwner(side.reader).checkpoint()).toEqual(await store.head());
});

test('HI-01: of the questions those about the organization are known, one by one', async () => {
  const store = memoryStore();
  const query = (organizationId: string | null) =>
    told('audit-break_glass', 'AuditQueried', { organizationId, query: 'as-of', parameters: [] });
  await tellStore(store, query('O2'), query('O1'), query(null), query('O1'));
  await (await keep(store)).stop();
  const found = await makeStreamsByOwner(side.reader).questions('O1');
  expect(found.map(({ stream, revision }) => `${stream}@${revision}`)).toEqual([
    'audit-break_glass@1',
    'audit-break_glass@3',
  ]);
  expect(await asked('O1')).toEqual([]);
});

test('HI-01: what comes later is taken in from where the last leader was, and nothing is read twice', async () => {
  const store = memoryStore();
  await tellStore(store, profile('P1'));
  await (await keep(store)).stop();
  const readLog = vi.fn<LogReader['readLog']>((options) => store.readLog(options));
  const led = await keep({ ...store, readLog });
  expect(readLog).not.toHaveBeenCalled();
  const before = await store.head();
  await tellStore(store, profile('P2'));
  await eventually(async () => expect(await asked('O1')).toHaveLength(2));
  await led.stop();
  expect(readLog.mock.calls.map(([{ after }]) => after)).toEqual([before]);
});

test.each([1, 2, 1000])(
  'FX-34: of a record there is a row for each event that changes whether it is there or whose it is (batches of %i)',
  async (batchSize) => {
    const store = memoryStore();
    await tellStore(
      store,
      profile('P1', 1, 'U1'),
      profile('P1', 2, 'U1'),
      profile('P1', 3, 'U2'),
      profile('P1', 4, 'U1'),
    );
    await tellStore(
      store,
      profile('P2'),
      profileRemoved('P1', 5),
      profile('P1', 6, 'U1'),
      profile('P9', 1, 'U9', 'O2'),
    );
    await (await keep(store, { batchSize })).stop();
    // Reading a part again, as after a lost commit, changes nothing.
    await side.pool.query(`update checkpoints set commit_position = 2, prepare_position = 2`);
    await (await keep(store, { batchSize })).stop();
    const index = makeStreamsByOwner(side.reader);
    const changes = await index.ownerChanges('O1', ['profile', 'reservation'], null, 100);
    expect(changes.map(({ id, revision, present, owner }) => [id, Number(revision), present, owner])).toEqual(
      [
        ['P1', 0, true, 'U1'],
        ['P1', 2, true, 'U2'],
        ['P1', 3, true, 'U1'],
        ['P2', 0, true, null],
        ['P1', 4, false, null],
        ['P1', 5, true, 'U1'],
      ],
    );
    const [, second] = changes;
    const rest = await index.ownerChanges('O1', ['profile'], second?.position ?? null, 2);
    expect(rest).toEqual(changes.slice(2, 4));
    const until = { position: second?.position ?? { commit: 0n, prepare: 0n }, time: Infinity };
    expect((await index.everyOwner('O1', 'profile', until)).toSorted()).toEqual(['U1', 'U2']);
    expect(await index.everyOwner('O1', 'profile', { ...until, time: 0 })).toEqual([]);
  },
);
