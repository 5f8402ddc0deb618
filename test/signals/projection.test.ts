import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import type { DomainEvent } from '../../src/domain/events.ts';
import type { SignalParty, SignalStatus } from '../../src/domain/signals/signal-stream.ts';
import { makeSignalsProjection, signalsGroup } from '../../src/signals/projection.ts';
import { supportedTypes } from '../../src/signals/set-types.ts';
import { ensureStream, keepStream } from '../../src/signals/stream-table.ts';
import { inPoolTransaction } from '../../src/common/transaction.ts';
import {
  activated,
  deactivated,
  issued,
  ofOrganization,
  redeemed,
  revoked,
  switched,
  tell,
  type Told,
  withdrawn,
} from '../projections/follow/a-story.ts';
import { pollStream } from '../support/scenes/told-addons.ts';
import { testReadModels } from '../support/log/read-models.ts';
import { projectAll, scriptedLog, type ScriptedLog } from '../support/log/test-projector.ts';

const issuer = 'https://grantbook.example';
const day = 86_400_000;
const start = Date.UTC(2026, 0, 1);

let log: ScriptedLog;
const side = await testReadModels();
beforeEach(async () => {
  await side.pool.query(
    `truncate signal_sets, signal_streams, signal_grants, signal_deactivations, signal_holders; delete from checkpoints where name = '${signalsGroup}'`,
  );
  log = scriptedLog();
});
afterAll(() => side.close());

/** Until the whole log is queued; events of scripted logs are stored a second apart, from the start of 2026 on. */
const project = ({ batchSize = 1000, now = start + day } = {}) =>
  projectAll(side.database.url, log, {
    name: signalsGroup,
    projections: [makeSignalsProjection({ issuer, keepMs: 30 * day, now: () => now })],
    batchSize,
  });

const rowOf = (addonId: string) => pollStream(addonId, `S-${addonId}`, issuer);

const stream = (addonId: string) => inPoolTransaction(side.pool, (tx) => keepStream(tx, rowOf(addonId)));

const queued = async (addonId = 'A1'): Promise<readonly (readonly [queue: string, type: string])[]> => {
  const { rows } = await side.pool.query<{ queue: string; type: string }>(
    `select queue, (select key from jsonb_object_keys(claims->'events') as key) as type from signal_sets
     where stream_id = $1 order by commit_position, prepare_position, part`,
    [`S-${addonId}`],
  );
  return rows.map(({ queue, type }) => [queue, type.slice(type.lastIndexOf('/') + 1)]);
};

const everything = async () => {
  const { rows } = await side.pool.query('select * from signal_sets order by stream_id, jti');
  return rows as readonly unknown[];
};

const own = (userId = 'U1') => ({ kind: 'user', userId, epoch: 0 }) as const;
const erased = (userId: string) => ({
  stream: `account-${userId}` as const,
  event: { type: 'AccountErased', data: { at: start } } satisfies DomainEvent,
});

test.each([1, 2, 1000])(
  'SG-06: what happened is queued in the order of the log, in batches of %d',
  async (batchSize) => {
    await stream('A1');
    tell(
      log,
      activated(1),
      issued('G1'),
      redeemed('G1'),
      issued('G2', own()),
      redeemed('G2'),
      issued('G3', own()),
      deactivated(1),
      revoked('G1', 'addon-deactivated'),
      revoked('G3', 'too-many-failed-proofs'),
      activated(2),
      revoked('G2'),
    );
    await project({ batchSize });
    expect(await queued()).toEqual([
      ['organization:O1', 'addon-activated'],
      ['organization:O1', 'addon-deactivated'],
      ['organization:O1', 'addon-activated'],
      ['user:U1', 'tokens-revoked'],
    ]);
  },
);

test.each([1, 1000])(
  'SG-05: of grants that end with a deactivation only its notice is sent, whoever revokes them next, in batches of %d',
  async (batchSize) => {
    await stream('A1');
    tell(
      log,
      activated(1),
      issued('G1'),
      redeemed('G1'),
      issued('G2', ofOrganization(1, 'O2')),
      redeemed('G2'),
      issued('G3', own()),
      redeemed('G3'),
      issued('G4'),
      deactivated(1),
      redeemed('G4'), // before the fence closed
      issued('G6'),
      redeemed('G6'),
      ...['G1', 'G2', 'G3', 'G6'].map((grantId) => revoked(grantId)),
      revoked('G4', 'addon-deactivated'),
      activated(2),
      issued('G5', ofOrganization(2)),
      redeemed('G5'),
      revoked('G5'),
    );
    await project({ batchSize });
    expect(await queued()).toEqual([
      ['organization:O1', 'addon-activated'],
      ['organization:O1', 'addon-deactivated'],
      ['organization:O2', 'tokens-revoked'],
      ['user:U1', 'tokens-revoked'],
      ['organization:O1', 'addon-activated'],
      ['organization:O1', 'tokens-revoked'],
    ]);
    const { rows } = await side.pool.query('select * from signal_grants');
    expect(rows).toEqual([]);
  },
);

test.each([1, 1000])(
  'SG-05: RISC events go to every add-on that ever held a grant of the user, in batches of %d',
  async (batchSize) => {
    for (const addonId of ['A1', 'A2', 'A3', 'A4']) await stream(addonId);
    tell(
      log,
      issued('G1', own()),
      redeemed('G1'),
      revoked('G1'), // A1: ended
      issued('G2', undefined, 'A2'),
      redeemed('G2'), // A2: an organization's, which the user allowed
      issued('G3', own(), 'A3'), // A3: never redeemed
      switched('U1', 'AccountDisabled'),
      switched('U1', 'AccountEnabled'),
      erased('U1'),
      switched('U1', 'AccountEnabled', 2), // nobody is notified of an erased user any more
    );
    await project({ batchSize });
    const risc = ['account-disabled', 'session-revoked', 'account-enabled', 'account-purged'].map((type) => [
      'user:U1',
      type,
    ]);
    expect(await queued('A1')).toEqual([['user:U1', 'tokens-revoked'], ...risc]);
    expect(await queued('A2')).toEqual(risc);
    expect([await queued('A3'), await queued('A4')]).toEqual([[], []]);
    const { rows } = await side.pool.query('select * from signal_holders');
    expect(rows).toEqual([]);
  },
);

test('SG-05: a withdrawal ends the access of who ever held a grant of the own records', async () => {
  for (const addonId of ['A1']) await stream(addonId);
  tell(log, withdrawn('U1', 'U1'), issued('G1', own()), redeemed('G1'), withdrawn('U1', 'U1', 2));
  await project();
  expect(await queued()).toEqual([
    ['user:U1', 'approval-changed'],
    ['user:U1', 'session-revoked'],
    ['user:U1', 'approval-changed'],
  ]);
});

test('SG-06: the log read again from its start offers the same SETs with the same jti, but for those past their retention', async () => {
  await stream('A1');
  const [first, second, third] = [activated(1), deactivated(1), activated(2)];
  tell(log, first, second, third);
  await project();
  const before = await everything();
  await side.pool.query(
    `truncate signal_sets, signal_grants, signal_deactivations, signal_holders; delete from checkpoints where name = '${signalsGroup}'`,
  );
  await project();
  expect(await everything()).toEqual(before);
  expect(before).toHaveLength(3);

  await side.pool.query(`truncate signal_sets; delete from checkpoints where name = '${signalsGroup}'`);
  await project({ now: third.event.data.at + 30 * day });
  expect(await everything()).toEqual([
    {
      ...(before.find((row) => (row as { commit_position: string }).commit_position === '30') as object),
      head: true,
    },
  ]);
});

test('SG-11: nobody is notified of what was decided before the retention, though it was stored just now, by a copy of the log', async () => {
  await stream('A1');
  const { stream: name, event } = activated(1);
  tell(
    log,
    { stream: name, event: { ...event, data: { ...event.data, at: start - 30 * day } } },
    deactivated(1),
  );
  await project();
  expect(await queued()).toEqual([['organization:O1', 'addon-deactivated']]);
});

/** Events of the stream S-A1. */
const created = (eventsRequested: readonly string[] = supportedTypes(issuer), streamId = 'S-A1'): Told => ({
  stream: 'signalStream-A1',
  event: {
    type: 'SignalStreamCreated',
    data: { ...configuration, streamId, addonId: 'A1', eventsRequested, at: start },
  },
});
const changed = (eventsRequested: readonly string[]): Told => ({
  stream: 'signalStream-A1',
  event: {
    type: 'SignalStreamChanged',
    data: { ...configuration, streamId: 'S-A1', eventsRequested, at: start },
  },
});
const status = (to: SignalStatus, by: SignalParty = 'receiver', streamId = 'S-A1'): Told => ({
  stream: 'signalStream-A1',
  event: { type: 'SignalStreamStatusChanged', data: { streamId, status: to, reason: null, by, at: start } },
});
const deleted = (streamId = 'S-A1'): Told => ({
  stream: 'signalStream-A1',
  event: { type: 'SignalStreamDeleted', data: { streamId, at: start } },
});
const replayed = (after: string): Told => ({
  stream: 'signalStream-A1',
  event: { type: 'SignalStreamReplayed', data: { streamId: 'S-A1', after, at: start } },
});
const configuration = { method: 'poll', endpointUrl: null, authorization: null, description: null } as const;

describe.each([1, 1000])('SG-05: a stream in the order of the log, in batches of %d', (batchSize) => {
  const waitingAfter = async (...story: readonly Told[]) => {
    tell(log, ...story);
    await project({ batchSize });
    return (await queued()).map(([, type]) => type);
  };

  test('it learns what happens after its creation, and only what it asked for', async () => {
    const [own] = [`${issuer}/signals/addon-deactivated`];
    expect(
      await waitingAfter(
        activated(1),
        created([own]),
        deactivated(1),
        activated(2),
        changed([`${issuer}/signals/addon-activated`]),
        deactivated(2),
        activated(3),
      ),
    ).toEqual(['addon-deactivated', 'addon-activated']);
  });

  test('SG-11: made while the worker is far behind, it gets nothing from before its creation, not by a replay either', async () => {
    await inPoolTransaction(side.pool, (tx) => ensureStream(tx, rowOf('A1'))); // by the API, at once
    expect(
      await waitingAfter(
        activated(1),
        created(undefined, 'S-A0'),
        deactivated(1),
        status('paused', 'transmitter', 'S-A0'),
        deleted('S-A0'),
        activated(2),
        created(),
        deactivated(2),
        replayed('0/0'),
      ),
    ).toEqual(['addon-deactivated']);
  });

  test('what happens while it is paused waits; while it is disabled it is not kept, nor what waited before', async () => {
    expect(await waitingAfter(created(), activated(1), status('paused'), deactivated(1))).toHaveLength(2);
    expect(
      await waitingAfter(status('disabled'), activated(2), status('enabled'), deactivated(2), activated(3)),
    ).toEqual(['addon-deactivated', 'addon-activated']);
  });

  test('where we disable and enable it, that is reported, whatever else was dropped', async () => {
    expect(
      await waitingAfter(created(), activated(1), status('disabled', 'transmitter'), deactivated(1)),
    ).toEqual(['stream-updated']);
    expect(await waitingAfter(status('enabled', 'transmitter'), status('paused'), activated(2))).toEqual([
      'stream-updated',
      'stream-updated',
      'addon-activated',
    ]);
  });

  test('a deleted stream gets nothing, and the next one of the add-on begins anew', async () => {
    expect(await waitingAfter(created(), activated(1), deleted(), deactivated(1))).toEqual([]);
    await waitingAfter(created(undefined, 'S-A1-2'), activated(2));
    const { rows } = await side.pool.query('select stream_id, waiting from signal_sets');
    expect(rows).toEqual([{ stream_id: 'S-A1-2', waiting: true }]);
  });

  test('SG-08: the revision of its newest event is kept, so that an older failure is known', async () => {
    const story = [created(), changed(['urn:a']), status('paused'), replayed('1/1'), deleted()];
    for (const [revision, event] of story.entries()) {
      await waitingAfter(event);
      const { rows } = await side.pool.query('select revision from signal_streams');
      expect(rows).toEqual([{ revision: String(revision) }]);
    }
  });

  test('a replay offers again what is kept after a position', async () => {
    await waitingAfter(created(), activated(1), deactivated(1), activated(2));
    await side.pool.query(`update signal_sets set waiting = false, head = false, acknowledged_at = now()`);
    await waitingAfter(replayed('20/20'));
    const { rows } = await side.pool.query(
      'select commit_position as at, waiting, head from signal_sets order by commit_position',
    );
    expect(rows).toEqual([
      { at: '20', waiting: false, head: false },
      { at: '30', waiting: true, head: true },
      { at: '40', waiting: true, head: false },
    ]);
  });

  test('a replay after the end of the log offers nothing again, and the stream is followed as before', async () => {
    const end = `${2n ** 64n - 1n}/${2n ** 64n - 1n}`;
    expect(
      await waitingAfter(created(), activated(1), replayed(end), status('disabled'), deactivated(1)),
    ).toEqual([]);
  });
});
