import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  activationSubject,
  fenceSubjectsOf,
  judgeFence,
  type Guarded,
} from '../../../src/domain/fence/fence.ts';
import { makeDatabaseGeneration } from '../../../src/projections/database/database-generation.ts';
import type { Projector } from '../../../src/projections/follow/projector.ts';
import { readModelProjections } from '../../../src/projections/read-model-projections.ts';
import { startFenceReadiness } from '../../../src/projections/fence/fence-readiness.ts';
import { damagedLog } from '../../support/log/damaged-log.ts';
import { quietLogger } from '../../support/quiet-logger.ts';
import { testReadModels } from '../../support/log/read-models.ts';
import { scriptedLog, startTestProjector, type ScriptedLog } from '../../support/log/test-projector.ts';
import {
  account,
  activated,
  addon,
  deactivated,
  plain,
  profile,
  switched,
  tell,
  type Told,
  told,
  withdrawn,
} from '../follow/a-story.ts';
import { expectTrouble } from '../../support/trouble/expect-trouble.ts';

expectTrouble(/its key is parked/);

/** Events of the fence and of erasures that cannot be decoded or applied: parked, with what they are about closed. */

let log: ScriptedLog;
let logger: ReturnType<typeof quietLogger>;
let running: Projector[];

const side = await testReadModels();
beforeEach(() => {
  log = scriptedLog();
  logger = quietLogger();
  running = [];
});
afterEach(async () => {
  await Promise.all(running.map((projector) => projector.stop()));
  await side.clear();
});
afterAll(() => side.close());

const project = async (isDamaged: Parameters<typeof damagedLog>[1]) => {
  const damaged = damagedLog(log, isDamaged);
  const projector = startTestProjector({ databaseUrl: side.database.url, log: damaged, logger });
  running.push(projector);
  await projector.caughtUp;
  return projector;
};
/** The newest event of each of these streams cannot be decoded. */
const projectDamaged = (...streams: readonly string[]) =>
  project(
    ({ stream, revision }) =>
      streams.includes(stream) &&
      log.events.every((other) => other.stream !== stream || other.revision <= revision),
  );
const parkedIn = async (projection: string) =>
  (
    await side.pool.query<{ event: string }>(
      `select stream || '@' || revision || ' closes ' || coalesce(closes, 'nothing') as event from parked_events
       where projection = $1 order by stream`,
      [projection],
    )
  ).rows.map(({ event }) => event);

const grant = { grantId: 'G1', addonId: 'A1', userId: 'U1', rotation: 3 } as const;
const ofOrganization = (organizationId = 'O1', more: Partial<Guarded> = {}): Guarded => ({
  ...grant,
  ...more,
  subject: { kind: 'organization', organizationId, epoch: 1 },
});
const ofUser = (userId = 'U1', more: Partial<Guarded> = {}): Guarded => ({
  ...grant,
  ...more,
  userId,
  subject: { kind: 'user', userId, epoch: 0 },
});
/** What a list page, and whoever issues tokens, is told. */
const judged = async (guarded: Guarded) => {
  const place = { by: 'page', page: 1 } as const;
  const [page, rows, judge] = await Promise.all([
    side.readModels.profiles.page({ guarded, perPage: 10, place }),
    side.fence.read(fenceSubjectsOf(guarded)),
    side.readModels.judge(guarded),
  ]);
  const refusal = judgeFence(guarded, rows);
  expect([page.refused, judge]).toEqual([refusal, refusal]);
  return refusal;
};

const grantRevoked = told('grant-G1', 'GrantRevoked', { reason: 'user-ended-it' as never });
const tokenRevoked = told('grant-G1', 'AccessTokenRevoked', { rotation: 1 });
const accountErased = told('account-U1', 'AccountErased', {});
const open = () => [activated(1), activated(1, 'O2'), activated(1, 'O1', 'A2')];

describe('OP-02: an event of the fence that cannot be decoded is parked, and closes no more than what its stream is about', () => {
  test.each<[string, Told, { readonly closed: Guarded; readonly open: readonly Guarded[] }]>([
    [
      'AddonDeactivated',
      deactivated(1),
      {
        closed: ofOrganization(),
        open: [ofOrganization('O2'), ofOrganization('O1', { addonId: 'A2' }), ofUser()],
      },
    ],
    ['AddonActivated', activated(2), { closed: ofOrganization(), open: [ofOrganization('O2'), ofUser()] }],
    [
      'GrantRevoked',
      grantRevoked,
      {
        closed: ofOrganization(),
        open: [ofOrganization('O1', { grantId: 'G2' }), ofUser('U1', { grantId: 'G2' })],
      },
    ],
    [
      'AccessTokenRevoked',
      tokenRevoked,
      { closed: ofUser(), open: [ofOrganization('O1', { grantId: 'G2' })] },
    ],
    [
      'AccountDisabled',
      switched('U1', 'AccountDisabled'),
      { closed: ofUser(), open: [ofUser('U2', { grantId: 'G2' }), ofOrganization()] },
    ],
    [
      'AccountErased',
      accountErased,
      { closed: ofUser(), open: [ofUser('U2', { grantId: 'G2' }), ofOrganization()] },
    ],
    [
      'ConsentWithdrawn',
      withdrawn('U1', 'U1'),
      { closed: ofUser(), open: [ofUser('U1', { addonId: 'A2' }), ofUser('U2'), ofOrganization()] },
    ],
    [
      'AddonSuspended',
      plain('addon-A1', 'AddonSuspended'),
      { closed: ofOrganization(), open: [ofOrganization('O1', { addonId: 'A2' })] },
    ],
  ])('%s', async (type, told, { closed, open: others }) => {
    tell(log, ...open(), account('U1'), told, profile('P1'));
    const projector = await projectDamaged(told.stream);
    expect(projector.status()).toMatchObject({ role: 'leading', healthy: true });
    const projection = type === 'AccountErased' ? 'erasures' : 'activation-fence';
    const revision = log.events.findLast(({ stream }) => stream === told.stream)?.revision;
    const subject = told.stream.replace('-', ':');
    expect(await parkedIn(projection)).toEqual([`${told.stream}@${revision} closes ${subject}`]);
    expect(await judged(closed)).toBe('on-hold');
    for (const other of others) expect(await judged(other)).toBe(null);
    expect(logger.lines.filter(({ level }) => level === 'error')).toContainEqual(
      expect.objectContaining({ context: expect.objectContaining({ alarm: true, projection }) as object }),
    );
  });
});

test('OP-02: an erasure of a profile that cannot be decoded is parked, and closes nothing: no token hangs on a profile', async () => {
  const erased = { organizationId: 'O1', id: 'P1', version: 2 };
  tell(log, ...open(), profile('P1'), told('profile-O1.P1', 'ProfileErased', erased));
  await projectDamaged('profile-O1.P1');
  expect(await parkedIn('erasures')).toEqual(['profile-O1.P1@1 closes nothing']);
  expect(await judged(ofOrganization())).toBe(null);
});

test('OP-02: what the fence cannot apply is parked like what it cannot decode', async () => {
  tell(log, ...open(), deactivated(2 ** 40), profile('P1'));
  await projectDamaged();
  expect(await parkedIn('activation-fence')).toEqual(['activation-O1.A1@1 closes activation:O1.A1']);
  expect(await judged(ofOrganization())).toBe('on-hold');
  expect(await judged(ofOrganization('O2'))).toBe(null);
});

test('OP-02: later events of the stream are applied to the fence all the same, and open nothing', async () => {
  tell(log, ...open(), deactivated(1), activated(2));
  await project(({ stream, revision }) => stream === 'activation-O1.A1' && revision === 1n);
  const subject = activationSubject('O1', 'A1');
  expect(await side.fence.read([subject])).toEqual([
    { subject, revision: 2n, epoch: 2, open: true },
    expect.objectContaining({ subject, parked: true }),
  ]);
  expect(
    await judged({ ...ofOrganization(), subject: { kind: 'organization', organizationId: 'O1', epoch: 2 } }),
  ).toBe('on-hold');
});

test("OP-02: a user's list leaves out an organization whose activation is on hold", async () => {
  tell(log, activated(1), addon('A1'), profile('P1', 1, 'U1'), profile('P2', 1, 'U1', 'O2'), deactivated(1));
  const ids = async () => {
    const read = await side.readModels.profiles.page({
      guarded: ofUser(),
      perPage: 10,
      place: { by: 'page', page: 1 },
    });
    return 'items' in read ? read.items.map((item) => item.id) : [];
  };
  await projectDamaged('activation-O1.A1');
  expect(await ids()).toEqual(['P2']);
});

test('OP-02: an instance that starts with such an event in the log trusts the fence', async () => {
  tell(log, ...open(), deactivated(1));
  await projectDamaged('activation-O1.A1');
  const trust = startFenceReadiness({
    log: damagedLog(log, ({ stream, revision }) => stream === 'activation-O1.A1' && revision === 1n),
    progress: side.progress,
    database: makeDatabaseGeneration(),
    logger,
  });
  await trust.ready;
  expect(trust.trusted()).toBe(true);
  await trust.stop();
});

test('OP-02: whoever writes the fence, or erases, parks: none of the read models stops the projector', () => {
  expect(readModelProjections.filter(({ closes }) => closes).map(({ name }) => name)).toEqual([
    'erasures',
    'activation-fence',
  ]);
});
