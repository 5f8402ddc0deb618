import pg, { type PoolClient } from 'pg';
import { afterAll, expect, test } from 'vitest';
import { inPoolTransaction } from '../../src/common/transaction.ts';
import { makeReadSets } from '../../src/signals/read-sets.ts';
import type { Queue, SetDraft } from '../../src/signals/set-draft.ts';
import {
  dropWaiting,
  endSets,
  queueSets,
  removeExpired,
  replaySets,
  SIGNALS_CHANNEL,
} from '../../src/signals/set-queue.ts';
import {
  ensureStream,
  keepStream,
  markDeleted,
  noteFailure,
  type StreamRow,
} from '../../src/signals/stream-table.ts';
import type { Named } from '../../src/projections/database/pipelined-reader.ts';
import { explain } from '../support/documents/explained.ts';
import { testReadModels } from '../support/log/read-models.ts';
import { pollStream } from '../support/scenes/told-addons.ts';
import { listenOn } from '../../src/projections/database/installation.ts';

const told = 'https://example.com/signals/told';
const other = 'https://example.com/signals/other';
const organization: Queue = 'organization:O1';

let made = 0;
const side = await testReadModels();
afterAll(() => side.close());

const tx = <T>(work: (client: PoolClient) => Promise<T>): Promise<T> => inPoolTransaction(side.pool, work);

/** A stream of an add-on of its own. */
const stream = async (more: Partial<StreamRow> = {}): Promise<StreamRow> => {
  made += 1;
  const polled = pollStream(`A${made}`, `S${made}`);
  const row: StreamRow = { ...polled, eventsRequested: [told], ...more };
  await tx((client) => keepStream(client, row));
  return row;
};

const draft = (of: StreamRow, n: number, more: Partial<SetDraft> = {}): SetDraft => ({
  addonId: of.addonId,
  queue: organization,
  type: told,
  jti: `J${n}`,
  txn: 'T',
  subId: { format: 'opaque', id: ['stream', 'verification'].includes(more.queue ?? '') ? of.streamId : 'O1' },
  payload: { n },
  at: n * 1000,
  position: { commit: BigInt(n), prepare: BigInt(n) },
  part: 0,
  ...more,
});

const queue = (...drafts: readonly SetDraft[]) => tx((client) => queueSets(client, drafts));
const end = ({ streamId }: StreamRow, error: string | null, now: number, ...jtis: readonly string[]) =>
  tx((client) =>
    endSets(
      client,
      streamId,
      jtis.map((jti) => ({ jti, error })),
      now,
    ),
  );
const acknowledge = (of: StreamRow, ...jtis: readonly string[]) => end(of, null, 5_000, ...jtis);
const reading = () => makeReadSets((statement, values) => side.reader.query(statement, values));
const offered = async ({ streamId }: StreamRow, most = 100) =>
  (await reading().offered(streamId, most)).map(({ jti }) => jti);

test('SG-06: of a queue one SET is offered, and the next only when it is acknowledged', async () => {
  const of = await stream();
  await queue(draft(of, 1), draft(of, 2));
  await queue(draft(of, 3));
  expect(await offered(of)).toEqual(['J1']);
  expect(await acknowledge(of, 'J1')).toBe(1);
  expect(await offered(of)).toEqual(['J2']);
  expect(await acknowledge(of, 'J2', 'J3'), 'nobody has been offered J3').toBe(1);
  expect(await offered(of)).toEqual(['J3']);
  await acknowledge(of, 'J3');
  expect(await offered(of)).toEqual([]);
  await queue(draft(of, 4));
  expect(await offered(of)).toEqual(['J4']);
});

test('SG-06: other organizations, users, the add-on and the stream do not wait for it', async () => {
  const of = await stream();
  const queues: readonly Queue[] = [organization, 'organization:O2', 'user:U1', 'addon', 'stream'];
  await queue(...queues.map((one, n) => draft(of, n + 1, { queue: one })));
  expect(await offered(of)).toEqual(['J1', 'J2', 'J3', 'J4', 'J5']);
  expect(await offered(of, 2)).toEqual(['J1', 'J2']);
});

test('SG-11: the same event again adds nothing, even after its acknowledgement', async () => {
  const of = await stream();
  await queue(draft(of, 1));
  await queue(draft(of, 1));
  await acknowledge(of, 'J1');
  await queue(draft(of, 1), draft(of, 2));
  expect(await offered(of)).toEqual(['J2']);
  expect(await acknowledge(of, 'J1', 'unknown')).toBe(0);
});

test('SG-03: a stream gets the events it asked for, and what is said about itself', async () => {
  const of = await stream();
  await queue(
    draft(of, 1, { type: other }),
    draft(of, 2, { type: other, queue: 'stream' }),
    draft(of, 3, { type: other, queue: 'verification' }),
  );
  expect(await offered(of)).toEqual(['J2', 'J3']);
});

test('SG-03: what is said about a stream goes to no other stream of its add-on', async () => {
  const before = await stream();
  const now = await stream({ addonId: before.addonId });
  await queue(draft(before, 1, { queue: 'stream' }), draft(before, 2, { queue: 'verification' }));
  expect(await offered(before)).toEqual(['J1', 'J2']);
  expect(await offered(now)).toEqual([]);
});

test('SG-11: a stream that the worker has not seen yet gets what is said about itself, and nothing else', async () => {
  const of = { ...(await stream()), streamId: 'early', addonId: 'early' };
  await tx((client) => ensureStream(client, of));
  await queue(draft(of, 1), draft(of, 2, { queue: 'verification' }));
  expect(await offered(of)).toEqual(['J2']);
  await tx((client) => keepStream(client, of));
  await queue(draft(of, 3));
  expect(await offered(of)).toEqual(['J2', 'J3']);
});

test('SG-08: a paused stream keeps everything; a disabled one only what is said about itself', async () => {
  const paused = await stream({ status: 'paused' });
  await queue(draft(paused, 1));
  expect(await offered(paused)).toEqual(['J1']);
  const disabled = await stream({ status: 'disabled' });
  await queue(draft(disabled, 1), draft(disabled, 2, { queue: 'stream' }));
  expect(await offered(disabled)).toEqual(['J2']);
  await queue(draft(paused, 2, { queue: 'stream' }));
  await tx((client) => dropWaiting(client, paused.streamId));
  expect(await offered(paused)).toEqual(['J2']);
});

test('SG-12: a replay offers what came after a position again, in order, before everything later', async () => {
  const of = await stream();
  await queue(draft(of, 1), draft(of, 2), draft(of, 3), draft(of, 4, { queue: 'verification' }));
  await acknowledge(of, 'J1', 'J4');
  await acknowledge(of, 'J2');
  expect(await offered(of)).toEqual(['J3']);
  await tx((client) => replaySets(client, of.streamId, { commit: 1n, prepare: 1n }));
  expect(await offered(of)).toEqual(['J2']);
  await acknowledge(of, 'J2');
  expect(await offered(of)).toEqual(['J3']);
});

test('SG-06: an acknowledgement that a replay has overtaken ends nothing: what it is for comes again after what is replayed', async () => {
  const of = await stream();
  await queue(draft(of, 1), draft(of, 2));
  await acknowledge(of, 'J1');
  expect(await offered(of)).toEqual(['J2']);
  await tx((client) => replaySets(client, of.streamId, { commit: 0n, prepare: 0n }));
  await acknowledge(of, 'J2');
  expect(await offered(of)).toEqual(['J1']);
  await acknowledge(of, 'J1');
  expect(await offered(of)).toEqual(['J2']);
});

test('SG-08: what is past its retention no longer keeps later ones back', async () => {
  const of = await stream();
  await queue(draft(of, 1), draft(of, 2));
  expect(await tx((client) => removeExpired(client, 2_000, 1_000))).toBeGreaterThan(0);
  expect(await offered(of)).toEqual(['J2']);
});

test('SG-03: a deleted stream gets nothing more, and does not come back by itself', async () => {
  const of = await stream();
  await queue(draft(of, 1));
  await tx((client) => markDeleted(client, of.streamId, 1_000));
  await tx((client) => ensureStream(client, of));
  await queue(draft(of, 2));
  expect(await offered(of)).toEqual([]);
  const kept = 'select status, events_requested from signal_streams where stream_id = $1';
  expect((await side.pool.query(kept, [of.streamId])).rows, 'not up to 50 kB for 30 days').toEqual([
    { status: 'deleted', events_requested: [] },
  ]);
});

test('SG-06: an acknowledgement and a new SET at the same time leave one to be offered', async () => {
  const of = await stream();
  await queue(draft(of, 1));
  for (let n = 1; n < 30; n += 1) {
    await Promise.all([acknowledge(of, `J${n}`), queue(draft(of, n + 1))]);
    expect(await offered(of)).toEqual([`J${n + 1}`]);
  }
});

test('SG-07: whoever waits for a stream is woken when a SET of it can be offered', async () => {
  const of = await stream();
  const client = await side.pool.connect();
  const heard: string[] = [];
  client.on('notification', ({ payload }) => void heard.push(payload ?? ''));
  await listenOn(client, SIGNALS_CHANNEL);
  await queue(draft(of, 1));
  await queue(draft(of, 2)); // waits behind the first: nobody is woken
  await acknowledge(of, 'J1');
  await client.query('select'); // what was notified before is heard first
  expect(heard).toEqual([of.streamId, of.streamId]);
  await client.query('unlisten *');
  client.release(true);
});

test('SG-12: how the delivery of a stream stands', async () => {
  const of = await stream();
  await queue(draft(of, 1), draft(of, 2), draft(of, 3));
  await acknowledge(of, 'J1');
  expect(await reading().standings([of.streamId])).toEqual([
    {
      streamId: of.streamId,
      waiting: 2,
      oldestWaitingAt: 2_000,
      delivered: 1,
      lastDeliveredAt: 5_000,
      failingSince: null,
      lastError: null,
      lastErrorAt: null,
    },
  ]);
});

test('SG-12: the lag of a method is the age of the oldest SET that its enabled streams offer', async () => {
  const lag = async () => Math.round((await reading().lags()).push);
  expect(await lag()).toBe(0);
  const of = await stream({ method: 'push', endpointUrl: 'https://doors.example/' });
  const hours = (ago: number) => ({ at: Date.now() - ago * 3_600_000 });
  await queue({ ...draft(of, 1), ...hours(3) }, { ...draft(of, 2), ...hours(2) });
  expect((await lag()) / 3600).toBeCloseTo(3, 1);
  await acknowledge(of, 'J1');
  expect((await lag()) / 3600).toBeCloseTo(2, 1);
  await tx((client) => keepStream(client, { ...of, status: 'paused' }));
  expect(await lag()).toBe(0);
});

test('SG-12: a stream that cannot be pushed to is no longer failing when it is polled, or disabled', async () => {
  const of = await stream({ method: 'push', endpointUrl: 'https://doors.example/' });
  const failingSince = async (row: StreamRow) => {
    await tx((client) =>
      noteFailure(client, { streamId: of.streamId, revision: null }, 'answered 503 instead of 202', 6_000),
    );
    await tx((client) => keepStream(client, row));
    return (await reading().standings([of.streamId]))[0]?.failingSince;
  };
  expect(await failingSince({ ...of, endpointUrl: 'https://doors.example/signals' })).toBe(6_000);
  expect(await failingSince({ ...of, status: 'paused' })).toBe(6_000);
  expect(await reading().failingEndpoints()).toBe(1);
  expect(await failingSince({ ...of, status: 'disabled' })).toBeNull();
  expect(await failingSince({ ...of, method: 'poll', endpointUrl: null })).toBeNull();
  expect(await reading().failingEndpoints()).toBe(0);
});

test('SG-12: what a receiver reports of a SET is shown, for the organization until a later one is acknowledged', async () => {
  const of = await stream();
  const shown = async () => {
    const [standing] = await reading().standings([of.streamId]);
    const ofQueue = await reading().ofQueue(of.streamId, organization);
    return [standing?.lastError, standing?.lastErrorAt, standing?.failingSince, ofQueue.lastError];
  };
  await queue(draft(of, 1), draft(of, 2), draft(of, 3));
  await acknowledge(of, 'J1');
  expect(await shown()).toEqual([null, null, null, null]);
  await end(of, 'reported invalid_key', 6_000, 'J2');
  expect(await shown()).toEqual(['reported invalid_key', 6_000, null, 'reported invalid_key']);
  await end(of, null, 7_000, 'J3');
  expect(await shown()).toEqual(['reported invalid_key', 6_000, null, null]);
});

test('a change of a stream reads what is offered, however much waits behind it', async () => {
  const of = await stream({ method: 'push', endpointUrl: 'https://doors.example/' });
  await queue(...Array.from({ length: 2_000 }, (_, n) => draft(of, n + 1)));
  const failed = `update signal_sets set attempts = 1 where stream_id = $1 and head`;
  await side.pool.query(failed, [of.streamId]);
  const sent: (Named & { readonly values: readonly unknown[] })[] = [];
  const client = new pg.Client({ connectionString: side.database.url });
  await client.connect();
  try {
    const noting = { query: (one: (typeof sent)[number]) => (sent.push(one), Promise.resolve({ rows: [] })) };
    await keepStream(noting as never, of);
    const ofSets = sent.filter(({ text }) => text.includes('signal_sets'));
    expect(ofSets).toHaveLength(1);
    for (const { values, ...statement } of ofSets)
      expect((await explain(client, { statement, values })).allRows).toBeLessThan(5);
  } finally {
    await client.end();
  }
  const { rows } = await side.pool.query(
    'select max(attempts)::int as attempts from signal_sets where stream_id = $1',
    [of.streamId],
  );
  expect(rows).toEqual([{ attempts: 0 }]);
});
