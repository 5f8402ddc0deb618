import { afterAll, beforeEach, expect, test } from 'vitest';
import { inPoolTransaction } from '../../src/common/transaction.ts';
import type { SignalStream } from '../../src/domain/signals/signal-stream.ts';
import type { Tx } from '../../src/projections/follow/projection.ts';
import { makeSignalsProjection } from '../../src/signals/projection.ts';
import { lockStream } from '../../src/signals/set-queue.ts';
import { keepStream, type StreamRow } from '../../src/signals/stream-table.ts';
import { verifyStream } from '../../src/signals/verify-stream.ts';
import { activated, type Told } from '../projections/follow/a-story.ts';
import { pollStream } from '../support/scenes/told-addons.ts';
import { testReadModels } from '../support/log/read-models.ts';
import { scriptedLog } from '../support/log/test-projector.ts';

const issuer = 'https://grantbook.example';
const side = await testReadModels();
beforeEach(async () => {
  await side.pool.query('truncate signal_sets, signal_streams');
});
afterAll(() => side.close());

const rowOf = (addonId: string, streamId: string) => pollStream(addonId, streamId, issuer);
const keep = (row: StreamRow) => inPoolTransaction(side.pool, (tx) => keepStream(tx, row));

/** Locks the first stream, lets the other transaction come up to that lock, and then does the rest. */
const meeting = async (
  first: string,
  rest: (tx: Tx) => Promise<unknown>,
  other: (tx: Tx) => Promise<unknown>,
) => {
  const waiting = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
  let others: Promise<unknown> = Promise.resolve();
  await inPoolTransaction(side.pool, async (tx) => {
    await lockStream(tx, first);
    others = inPoolTransaction(side.pool, other);
    others.catch(() => undefined); // awaited below
    await expect.poll(async () => (await side.pool.query(waiting)).rowCount).toBe(1);
    await rest(tx);
  });
  await others;
};

const paused: Told = {
  stream: 'signalStream-A2',
  event: {
    type: 'SignalStreamStatusChanged',
    data: { streamId: 'S2', status: 'paused', reason: null, by: 'receiver', at: 1 },
  },
};

test('SG-06: the worker locks streams in the order in which results of pushes are noted, whatever the order of the log', async () => {
  await keep(rowOf('A1', 'S1'));
  await keep(rowOf('A2', 'S2'));
  const log = scriptedLog();
  const begun = makeSignalsProjection({ issuer, keepMs: Number.MAX_SAFE_INTEGER, now: () => 0 }).begin();
  for (const { stream, event } of [paused, activated(1)]) begun.apply(log.add(stream, event));
  await meeting(
    'S1',
    (tx) => lockStream(tx, 'S2'),
    (tx) => begun.write(tx),
  );
  const { rows } = await side.pool.query('select stream_id from signal_sets where head');
  expect(rows).toEqual([{ stream_id: 'S1' }]);
});

test('SG-06: a verification of a new stream does not meet the worker that comes from the deletion of the one before', async () => {
  await keep(rowOf('A1', 'S1'));
  const stream: SignalStream = {
    streamId: 'S2',
    addonId: 'A1',
    method: 'poll',
    endpointUrl: null,
    authorization: null,
    eventsRequested: [],
    description: null,
    status: 'enabled',
    reason: null,
    createdAt: 0,
  };
  await meeting(
    'S1',
    (tx) => keepStream(tx, rowOf('A1', 'S2')),
    (tx) => verifyStream(tx, { stream, state: null, jti: 'J1', txn: 'T', now: 1, isUnlimited: false }),
  );
  const { rows } = await side.pool.query('select stream_id from signal_sets where head');
  expect(rows).toEqual([{ stream_id: 'S2' }]);
});
