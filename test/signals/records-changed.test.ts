import { afterAll, beforeEach, expect, test } from 'vitest';
import { inPoolTransaction } from '../../src/common/transaction.ts';
import type { Scope } from '../../src/domain/access/scope.ts';
import type { GrantSubject } from '../../src/domain/access/grant.ts';
import { activationSubject } from '../../src/domain/fence/fence.ts';
import type { SignalStatus } from '../../src/domain/signals/signal-stream.ts';
import { lookAtLists } from '../../src/signals/records/look-at-lists.ts';
import { makeSignalsProjection, signalsGroup } from '../../src/signals/projection.ts';
import { makeReadSets } from '../../src/signals/read-sets.ts';
import { endSets } from '../../src/signals/set-queue.ts';
import { recordsChangedType } from '../../src/signals/set-types.ts';
import {
  activated,
  deactivated,
  issued as issuedFor,
  ofOrganization,
  plain,
  profile,
  profileRemoved,
  redeemed,
  reservation,
  revoked,
  switched,
  tell,
  type Told,
  withdrawn,
} from '../projections/follow/a-story.ts';
import { eventually } from '../support/eventually.ts';
import { testReadModels } from '../support/log/read-models.ts';
import { projectAll, scriptedLog, type ScriptedLog } from '../support/log/test-projector.ts';

const issuer = 'https://grantbook.example';
const type = recordsChangedType(issuer);
const start = Date.UTC(2026, 0, 1);
const intervalMs = 10_000;

let log: ScriptedLog;
let clock = start;
const side = await testReadModels();
afterAll(() => side.close());
beforeEach(async () => {
  await side.clear();
  await side.pool.query(
    `truncate signal_sets, signal_streams, signal_grants, signal_deactivations, signal_holders, signal_record_streams, signal_records_told;
     delete from checkpoints where name = '${signalsGroup}'`,
  );
  log = scriptedLog();
  clock += 3_600_000;
});

/** Brings read models and queues to the end of the log. */
const happens = async (...story: readonly Told[]) => {
  const events = tell(log, ...story);
  await projectAll(side.database.url, log);
  await queue();
  return events.map(({ position }) => `${position.commit}/${position.prepare}`);
};
const queue = () =>
  projectAll(side.database.url, log, {
    name: signalsGroup,
    projections: [makeSignalsProjection({ issuer, keepMs: 30 * 86_400_000, now: () => clock })],
  });

const look = () => lookAtLists({ pool: side.pool, issuer, intervalMs, now: () => clock });
/** The next look: an interval later. */
const later = () => {
  clock += intervalMs;
  return look();
};

const sets = makeReadSets((statement, values) => side.reader.query(statement, values));
/** What is offered of records. */
const offered = async (streamId = 'S-A1') =>
  (await sets.offered(streamId, 100))
    .flatMap(({ jti, claims }) => {
      const payload = claims.events[type] as Readonly<Record<string, unknown>> | undefined;
      return payload ? [{ list: payload['list'], jti, sub_id: claims.sub_id, ...payload }] : [];
    })
    .toSorted((a, b) => JSON.stringify(a).localeCompare(JSON.stringify(b)));
const lists = async (streamId?: string) =>
  (await offered(streamId)).map(
    (one) => `${String('list' in one && one.list)} ${one.sub_id['id'] as string}`,
  );
const acknowledge = async (streamId = 'S-A1') => {
  const endings = (await offered(streamId)).map(({ jti }) => ({ jti, error: null }));
  await inPoolTransaction(side.pool, (tx) => endSets(tx, streamId, endings, clock));
  return endings.length;
};

const created = (addonId = 'A1', eventsRequested: readonly string[] = [type]): Told => ({
  stream: `signalStream-${addonId}`,
  event: {
    type: 'SignalStreamCreated',
    data: {
      method: 'poll',
      endpointUrl: null,
      authorization: null,
      description: null,
      streamId: `S-${addonId}`,
      addonId,
      eventsRequested,
      at: start,
    },
  },
});
const changed = (...eventsRequested: readonly string[]): Told => ({
  stream: 'signalStream-A1',
  event: {
    type: 'SignalStreamChanged',
    data: {
      method: 'poll',
      endpointUrl: null,
      authorization: null,
      description: null,
      streamId: 'S-A1',
      eventsRequested,
      at: start,
    },
  },
});
const status = (to: SignalStatus): Told => ({
  stream: 'signalStream-A1',
  event: {
    type: 'SignalStreamStatusChanged',
    data: { streamId: 'S-A1', status: to, reason: null, by: 'receiver', at: start },
  },
});
const replayed = (after: string): Told => ({
  stream: 'signalStream-A1',
  event: { type: 'SignalStreamReplayed', data: { streamId: 'S-A1', after, at: start } },
});

const issued = (grantId: string, subject: GrantSubject, scopes: readonly Scope[], addonId = 'A1'): Told => {
  const { stream, event } = issuedFor(grantId, subject, addonId);
  return { stream, event: { ...event, data: { ...event.data, scopes } } };
};
const everything: readonly Scope[] = ['profiles:read', 'reservations:read', 'access-rights:read'];
const granted = (
  grantId: string,
  { subject = ofOrganization(), scopes = everything, addonId = 'A1' } = {},
): readonly Told[] => [issued(grantId, subject, scopes, addonId), redeemed(grantId)];
const own: GrantSubject = { kind: 'user', userId: 'U1', epoch: 0 };

test('AP-06: a change of a list is said once, with the list, the subject and the newest position', async () => {
  await happens(activated(1), created(), ...granted('G1'));
  await later();
  expect(await offered()).toEqual([]);
  const [, position = ''] = await happens(profile('P1'), profile('P2'));
  await later();
  expect(await offered()).toEqual([
    {
      jti: expect.any(String) as string,
      sub_id: { format: 'opaque', id: 'O1' },
      event_timestamp: clock / 1000,
      list: 'profiles',
      organization_id: 'O1',
      position,
      reason: 'Records of the list changed.',
    },
  ]);
  await acknowledge();
  await later();
  expect(await offered()).toEqual([]);
});

test('AP-06: of a burst of changes one message waits, and what came after it is said once it is acknowledged', async () => {
  await happens(activated(1), created(), ...granted('G1'), profile('P1'));
  await later();
  const [first] = await offered();
  const [, last = ''] = await happens(profile('P2'), profile('P3'));
  await later();
  await later();
  expect(await offered(), 'as it was offered').toEqual([first]);
  await acknowledge();
  await later();
  expect(await offered()).toMatchObject([{ position: last }]);
  const { rows } = await side.pool.query('select from signal_sets where waiting');
  expect(rows).toHaveLength(1);
});

test('AP-06: at most one in an interval, the last change at its end, on whichever instance', async () => {
  await happens(activated(1), created(), ...granted('G1'), profile('P1'));
  await later();
  expect(await acknowledge()).toBe(1);
  await happens(profile('P2'));
  clock += intervalMs - 1;
  expect(await look(), 'how long to wait').toBe(1);
  expect(await offered()).toEqual([]);
  clock += 1;
  const waits = await Promise.all([look(), look(), look()]);
  expect(waits.every((wait) => wait <= intervalMs)).toBe(true);
  expect(await lists()).toEqual(['profiles O1']);
  await acknowledge();
  await happens(profile('P3'));
  await look(); // such as after a restart
  expect(await offered()).toEqual([]);
  await later();
  expect(await lists()).toEqual(['profiles O1']);
});

test('AP-06: a look that fails says nothing, and the next one says it', async () => {
  await happens(activated(1), created(), ...granted('G1'), profile('P1'));
  clock += intervalMs;
  await side.pool.query('alter table signal_sets rename to away');
  await expect(look()).rejects.toThrow('signal_sets');
  await side.pool.query('alter table away rename to signal_sets');
  // The server may still hold what the failed look had locked: its connection is closed, which nobody waits for.
  await eventually(async () => {
    await look();
    expect(await lists()).toEqual(['profiles O1']);
  });
});

test('AP-06: only the lists that a scope of a live grant opens', async () => {
  await happens(activated(1), created(), ...granted('G1', { scopes: ['openid', 'reservations:read'] }));
  await happens(profile('P1'), reservation('R1', 'P1'), profile('P2', 1, null, 'O2'));
  await later();
  expect(await lists()).toEqual(['reservations O1']);
});

test('AP-06: a code that was not redeemed opens nothing, and nothing from before the grant or the request is said', async () => {
  await happens(
    activated(1),
    profile('P1'),
    created(),
    issued('G1', ofOrganization(), everything),
    profile('P2'),
  );
  await later();
  expect(await offered(), 'no token yet').toEqual([]);
  await happens(redeemed('G1'), ...granted('G2', { addonId: 'A2' }));
  await later();
  expect(await lists(), 'since the code').toEqual(['profiles O1']);
  await acknowledge();
  await happens(activated(1, 'O1', 'A2'), profile('P3'), created('A2'));
  await later();
  expect(await lists('S-A2')).toEqual([]);
});

test('AP-06: who does not request it gets nothing, and nothing is kept for it', async () => {
  await happens(activated(1), created('A1', [`${issuer}/signals/addon-deactivated`]), ...granted('G1'));
  await happens(profile('P1'));
  await later();
  const kept = async () =>
    (await side.pool.query('select from signal_record_streams union all select from signal_records_told'))
      .rowCount;
  expect([await offered(), await kept()]).toEqual([[], 0]);
  await happens(changed(type));
  await later();
  expect(await offered(), 'since it does').toEqual([]);
  await happens(profile('P2'));
  await later();
  expect(await lists()).toEqual(['profiles O1']);
  await happens(changed());
  await acknowledge();
  await happens(profile('P3'));
  await later();
  expect([await offered(), await kept()]).toEqual([[], 0]);
});

test('AP-06: while a stream is paused one message waits; while it is disabled nothing is kept', async () => {
  await happens(activated(1), created(), ...granted('G1'), status('paused'), profile('P1'));
  await later();
  await happens(profile('P2'));
  await later();
  expect(await lists()).toEqual(['profiles O1']);
  await happens(status('disabled'), profile('P3'));
  await later();
  await happens(status('enabled'));
  await later();
  expect(await offered()).toEqual([]);
  await happens(profile('P4'));
  await later();
  expect(await lists()).toEqual(['profiles O1']);
});

test("AP-06: a user's own list, with the records of every organization that shows them to the add-on", async () => {
  await happens(created(), activated(1, 'O2'), ...granted('G1', { subject: own }));
  const [mine = ''] = await happens(profile('P1', 1, 'U1'), profile('P2', 1, 'U2'), profile('P3'));
  await later();
  expect(await offered()).toMatchObject([
    { sub_id: { format: 'opaque', id: 'U1' }, list: 'profiles', user_id: 'U1', position: mine },
  ]);
  expect(await acknowledge()).toBe(1);
  const [, theirs = ''] = await happens(profile('P1', 1, 'U1', 'O2'), reservation('R1', 'P1', 1, 'O2'));
  await later();
  expect(await lists()).toEqual(['profiles U1', 'reservations U1']);
  expect((await offered()).map((one) => 'position' in one && one.position)).toContain(theirs);
  await acknowledge();
  const [ended = ''] = await happens(deactivated(1, 'O2'));
  await later();
  expect(await offered(), 'records that are no longer shown').toMatchObject([
    { list: 'profiles', position: ended },
    { list: 'reservations', position: ended },
  ]);
  await acknowledge();
  await happens(profile('P1', 2, 'U1', 'O2'));
  await later();
  expect(await offered(), 'of an organization that has deactivated the add-on').toEqual([]);
  await happens(activated(2, 'O2'));
  await later();
  expect(await lists()).toEqual(['profiles U1', 'reservations U1']);
});

test('AP-06: a record that is removed is a change', async () => {
  await happens(activated(1), created(), ...granted('G1'), profile('P1'));
  await later();
  await acknowledge();
  const [gone = ''] = await happens(profileRemoved('P1'));
  await later();
  expect(await offered()).toMatchObject([{ list: 'profiles', position: gone }]);
});

const disabled = switched('U1', 'AccountDisabled');
const erased: Told = { stream: 'account-U1', event: { type: 'AccountErased', data: { at: start } } };
const ends: readonly (readonly [string, GrantSubject, readonly Told[]])[] = [
  ['the organization deactivated the add-on', ofOrganization(), [deactivated(1)]],
  ['the add-on is suspended', ofOrganization(), [plain('addon-A1', 'AddonSuspended')]],
  ['the grant was revoked', ofOrganization(), [revoked('G1')]],
  ['the user withdrew the consent', own, [withdrawn('U1', 'U1')]],
  ["the user's account is disabled", own, [disabled]],
  ['the user was erased', own, [disabled, erased]],
];
test.each(ends)(
  'AP-06: nothing is said, and what waits is withdrawn, once %s',
  async (_why, subject, end) => {
    await happens(activated(1), created(), ...granted('G1', { subject }));
    await happens(profile('P1', 1, 'U1'));
    await later();
    expect(await offered()).toHaveLength(1);
    await happens(...end);
    expect(await offered(), 'what waited').toEqual([]);
    await happens(profile('P1', 2, 'U1'), reservation('R1', 'P1'));
    await later();
    expect(await offered()).toEqual([]);
  },
);

test('AP-06: what another grant opens still is said again, with the same jti', async () => {
  await happens(activated(1), created(), ...granted('G1'), ...granted('G2', { scopes: ['profiles:read'] }));
  await happens(profile('P1'), reservation('R1', 'P1'));
  await later();
  const before = await offered();
  expect(before).toHaveLength(2);
  await happens(revoked('G1'));
  await later();
  expect((await offered()).map(({ jti }) => jti)).toEqual([before[0]?.jti]);
  await acknowledge();
  await happens(revoked('G2'));
  await happens(...granted('G3'));
  await later();
  expect(await offered(), 'what was acknowledged, or was before the grant').toEqual([]);
});

test('AP-06: the fence decides, where the read models do not know yet that the access has ended', async () => {
  await happens(activated(1), created(), ...granted('G1'), profile('P1'));
  const subject = activationSubject('O1', 'A1');
  await side.fence.write([{ subject, revision: 1n, epoch: 1, open: false }]);
  await later();
  expect(await offered()).toEqual([]);
});

test('AP-06: a replay says the newest change again, and only of what is still open', async () => {
  const opened = [activated(1), activated(1, 'O2'), created(), ...granted('G1')];
  await happens(...opened, ...granted('G2', { subject: ofOrganization(1, 'O2') }));
  const [position = ''] = await happens(profile('P1'), profile('P1', 1, null, 'O2'));
  await later();
  expect(await acknowledge()).toBe(2);
  await happens(deactivated(1, 'O2'), replayed('0/0'));
  expect(await offered()).toEqual([]);
  await later();
  expect(await offered()).toMatchObject([{ position, organization_id: 'O1' }]);
  await acknowledge();
  await happens(replayed(position));
  await later();
  expect(await offered()).toEqual([]);
});

test('AP-06: read models that are built again say nothing twice, and what was corrected meanwhile is said', async () => {
  await happens(activated(1), created(), ...granted('G1'), profile('P1'));
  await later();
  await acknowledge();
  const { pool } = side;
  await pool.query(
    `truncate lists, list_blocks, list_removals, list_change_blocks, profiles, grants, connections, activations`,
  );
  await pool.query(`delete from checkpoints where name = 'read-models'`);
  await later();
  await happens();
  await later();
  expect(await offered()).toEqual([]);
  await pool.query(
    `insert into list_corrections (organization_id, list, times) values ('O1', 'profiles', 1)`,
  );
  await later();
  expect(await lists()).toEqual(['profiles O1']);
  await acknowledge();
  await later();
  expect(await offered()).toEqual([]);
});

test('AP-06: of many streams each is looked at', async () => {
  const addons = Array.from({ length: 45 }, (_, i) => `A${i + 1}`);
  await happens(
    ...addons.flatMap((addonId) => [
      activated(1, 'O1', addonId),
      created(addonId),
      ...granted(`G-${addonId}`, { addonId }),
    ]),
    profile('P1'),
  );
  await later();
  const found = await Promise.all(addons.map((addonId) => lists(`S-${addonId}`)));
  expect(found).toEqual(addons.map(() => ['profiles O1']));
});
