import fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import { makeRevokeOnDeactivation } from '../../../src/reactions/revoke-on-deactivation.ts';
import type { Outcome } from '../../../src/commands/kernel/outcome.ts';
import type { TokenPair } from '../../../src/commands/credentials/token-pair.ts';
import { makeRevokeOwnGrants } from '../../../src/reactions/make-revocations.ts';
import { fenceRowOf } from '../../../src/domain/fence/fence-rows.ts';
import type { Fence, FenceRow } from '../../../src/domain/fence/fence.ts';
import { toFenceRow, type StoredFenceRow } from '../../../src/projections/fence/fence-statement.ts';
import { rebuild } from '../../../src/projections/rebuild/rebuild.ts';
import { verify } from '../../../src/projections/rebuild/verify.ts';
import { eventually } from '../../support/eventually.ts';
import { verifier } from '../../support/scenes/grants.ts';
import { issuanceOver } from '../../support/memory/issuance.ts';
import { memoryEpochGrants, memoryOwnGrants } from '../../support/memory/memory-grants.ts';
import { propertyRuns } from '../../support/property-runs.ts';
import { organization } from '../follow/a-story.ts';
import { rebuildScene } from './scene.ts';

const scene = await rebuildScene();
await scene.tell(organization('O1'));
await scene.settle();
await rebuild(scene.needs, { name: 'activation-fence' });
afterAll(() => scene.close());

/** The table's fence, which counts the rows that commands give it to write. */
const countingFence = () => {
  let written = 0;
  const { fence } = scene.side;
  const counting: Fence = {
    read: (subjects) => fence.read(subjects),
    async write(rows) {
      written += rows.length;
      await fence.write(rows);
    },
  };
  return { fence: counting, written: () => written };
};

/** The real commands over the scene's log and the fence in its database, on an add-on and people of their own. */
const openWorld = async () => {
  const { fence, written } = countingFence();
  const over = issuanceOver({ store: scene.store, fence });
  await over.prepare({ confidential: true });
  const { commands, addonId, organizationId, userId } = over;
  const holds = { code: '', access: '', refresh: '', oldRefresh: '' };
  const take = (outcome: Outcome<TokenPair, string>) => {
    if (!outcome.ok) return;
    holds.oldRefresh = holds.refresh;
    holds.refresh = outcome.value.refreshToken;
    holds.access = outcome.value.accessToken;
  };
  const needs = { store: scene.store, fence, now: () => over.pass(0) };
  const reactions = [
    makeRevokeOnDeactivation({ ...needs, epochGrants: memoryEpochGrants(scene.store) }),
    makeRevokeOwnGrants({ ...needs, ownGrants: memoryOwnGrants(scene.store) }),
  ];
  let seen = scene.store.all().length;
  const issue = async (own: boolean) => {
    const subject = (await commands.ownConsent({ userId, addonId })).subject;
    if (own) await commands.approveScopes({ userId, addonId, subject, scopes: ['openid'] });
    const outcome = await over.issueOutcome(own ? { subject } : {});
    if (outcome.ok) holds.code = outcome.value.code;
  };
  const steps = {
    activate: () => over.activate(),
    deactivate: () => over.deactivate(),
    suspend: () => commands.suspendAddon(addonId),
    resume: () => commands.resumeAddon(addonId),
    close: () => commands.closeOrganization({ organizationId }),
    disable: () => commands.disableUser(userId),
    enable: () => commands.enableUser(userId),
    withdraw: () => commands.withdrawConsent({ userId, addonId }),
    'add secret': () => commands.addAddonSecret(addonId),
    'issue for the organization': () => issue(false),
    'issue for the user': () => issue(true),
    exchange: async () => take(await over.exchange(holds.code)),
    'exchange with a wrong verifier': () => over.exchange(holds.code, { codeVerifier: `${verifier}0` }),
    refresh: async () => take(await over.refresh(holds.refresh)),
    'refresh, and lose the answer': () => over.refresh(holds.refresh),
    'use a superseded token': () => over.refresh(holds.oldRefresh),
    'revoke access token': () => commands.revokeToken({ addonId, token: holds.access }),
    'revoke refresh token': () => commands.revokeToken({ addonId, token: holds.refresh }),
    unblock: () => commands.unblockSignIn(userId),
    'pass a minute': () => over.pass(60_000),
    async react() {
      for (const event of scene.store.all().slice(seen))
        for (const reaction of reactions) await reaction(event, scene.needs.signal);
      seen = scene.store.all().length;
    },
  };
  return { steps, written, addonId };
};

type World = Awaited<ReturnType<typeof openWorld>>;

const stepNames = [
  'activate',
  'deactivate',
  'suspend',
  'resume',
  'close',
  'disable',
  'enable',
  'withdraw',
  'add secret',
  'issue for the organization',
  'issue for the user',
  'exchange',
  'exchange with a wrong verifier',
  'refresh',
  'refresh, and lose the answer',
  'use a superseded token',
  'revoke access token',
  'revoke refresh token',
  'unblock',
  'pass a minute',
  'react',
] as const satisfies readonly (keyof World['steps'])[];

const rowsInTable = async (): Promise<readonly FenceRow[]> => {
  const { rows } = await scene.side.pool.query<StoredFenceRow>('select * from fence order by subject');
  return rows.map(toFenceRow);
};

/** What the events say: of each subject the newest row that one of them stands for. */
const rowsInLog = (): ReadonlyMap<string, FenceRow> => {
  const rows = new Map<string, FenceRow>();
  for (const event of scene.store.all()) {
    const row = fenceRowOf(event);
    if (row) rows.set(row.subject, row);
  }
  return rows;
};

/** Until the projector, too, has written all that the log says. */
const untilProjected = () =>
  eventually(async () =>
    expect(await rowsInTable()).toEqual(
      [...rowsInLog().values()].sort((a, b) => (a.subject < b.subject ? -1 : 1)),
    ),
  );

const agrees = async () => (await verify(scene.needs, { name: 'activation-fence' })).differences;

test('TR-01: after any history of commands each row is that of the event that closed or opened it, and verify agrees', async () => {
  const step = fc.oneof(
    { weight: 1, arbitrary: fc.constant('pause or go on' as const) },
    { weight: 6, arbitrary: fc.constantFrom(...stepNames) },
  );
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 8, maxLength: 25 }), async (history) => {
      const world = await openWorld();
      let isPaused = false;
      for (const name of history) {
        if (name === 'pause or go on') {
          if (isPaused) scene.resume();
          else await scene.pause();
          isPaused = !isPaused;
        } else await world.steps[name]();
      }
      // What the commands alone have written: the rows of a reaction's grants come by the projector.
      const inLog = rowsInLog();
      for (const row of await rowsInTable()) expect(row).toEqual(inLog.get(row.subject));
      expect(await agrees()).toEqual([]);
      if (isPaused) scene.resume();
      await untilProjected();
      expect(await agrees()).toEqual([]);
    }),
    propertyRuns(6),
  );
});

test('TR-01: repeating a command that changes nothing writes nothing into the fence', async () => {
  const { steps, written } = await openWorld();
  for (const name of ['activate', 'issue for the organization', 'exchange'] as const) await steps[name]();
  // What comes between a command and its repeat goes on in the same stream, and closes and opens nothing.
  const stories = [
    { first: ['suspend', 'add secret'], repeated: 'suspend' },
    { first: ['resume', 'add secret'], repeated: 'resume' },
    { first: ['activate'], repeated: 'activate' },
    { first: ['revoke access token', 'refresh, and lose the answer'], repeated: 'revoke access token' },
    {
      first: ['issue for the organization', 'exchange', 'revoke refresh token'],
      repeated: 'revoke refresh token',
    },
    { first: ['deactivate', 'react'], repeated: 'deactivate' },
    { first: ['close'], repeated: 'close' },
    { first: ['issue for the user', 'withdraw', 'react'], repeated: 'withdraw' },
    { first: ['disable', 'unblock'], repeated: 'disable' },
    { first: ['enable', 'unblock'], repeated: 'enable' },
  ] as const;
  for (const { first, repeated } of stories) {
    for (const name of first) await steps[name]();
    await untilProjected();
    const before = { rows: await rowsInTable(), written: written(), events: scene.store.all().length };
    await steps[repeated]();
    const after = { rows: await rowsInTable(), written: written(), events: scene.store.all().length };
    expect({ repeated, ...after }).toEqual({ repeated, ...before });
  }
});

test('TR-01: verify takes no row at a revision of another event, or that the log does not have', async () => {
  const { steps, addonId } = await openWorld();
  for (const name of ['activate', 'deactivate', 'react', 'suspend', 'add secret'] as const)
    await steps[name]();
  await untilProjected();
  const subject = `addon:${addonId}`;
  const [row] = (await rowsInTable()).filter((each) => each.subject === subject);
  const setRevision = (revision: bigint) =>
    scene.side.pool.query('update fence set revision = $2 where subject = $1', [subject, String(revision)]);
  const closed = row?.revision ?? 0n;
  for (const revision of [closed + 1n, closed + 2n]) {
    await setRevision(revision);
    expect(await agrees()).toMatchObject([{ key: { subject } }]);
  }
  await setRevision(closed);
});
