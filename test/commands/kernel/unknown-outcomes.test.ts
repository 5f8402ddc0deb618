import { describe, expect, test } from 'vitest';
import { retryUnknownOutcome } from '../../../src/commands/kernel/retry-unknown-outcome.ts';
import type { EventType } from '../../../src/domain/events.ts';
import { fenceSubjectsOf, judgeFence, type FenceRefusal } from '../../../src/domain/fence/fence.ts';
import type { StreamName } from '../../../src/domain/streams.ts';
import {
  AppendOutcomeUnknown,
  EventStoreUnavailable,
  type EventToAppend,
} from '../../../src/eventstore/event-store.ts';
import { atAppend } from '../../support/memory/at-append.ts';
import { issuance } from '../../support/memory/issuance.ts';
import { marketplace, valueOf } from '../../support/scenes/marketplace.ts';

const addon = {
  name: 'Door Opener',
  redirectUris: ['https://doors.example/callback'],
  configurationUrl: null,
  allowedScopes: [],
  confidential: true,
};
const ada = {
  email: 'ada@example.com',
  name: 'Ada',
  password: 'correct horse',
  administratorOf: [],
  roles: [],
};
const profile = { name: 'Ada', email: ada.email, userId: null, phone: null, locale: null, externalId: null };

test('FX-43: an append that may be written stays one when the event store is away for the second run', async () => {
  const unknown = new AppendOutcomeUnknown('no word from the log');
  const run = (attempt: 'first' | 'again') =>
    Promise.reject(attempt === 'first' ? unknown : new EventStoreUnavailable('nothing was written'));
  await expect(retryUnknownOutcome(run)).rejects.toBe(unknown);
});

describe.each(['beforeAppend', 'afterAppend'] as const)('an append that ends without a word (%s)', (when) => {
  test('registers an add-on once, and its secret is the one that is answered', async () => {
    const { hooks, arm } = atAppend(when);
    const { registerAddon, findAddon, types } = marketplace(hooks);
    arm();
    const { clientId } = valueOf(await registerAddon(addon));
    expect((await findAddon(clientId))?.secretDigests).toHaveLength(1);
    expect(types()).toEqual(['AddonRegistered', 'AddonSecretAdded']);
  });

  test('creates an organization once', async () => {
    const { hooks, arm } = atAppend(when);
    const { createOrganization, types } = marketplace(hooks);
    arm();
    valueOf(await createOrganization({ name: 'Harbour House' }));
    expect(types()).toEqual(['OrganizationCreated']);
  });

  test('starts one session, which its cookie opens, and ends it once', async () => {
    const { hooks, arm } = atAppend(when);
    const { createUser, signIn, signOut, readSession, types } = marketplace(hooks);
    valueOf(await createUser(ada));
    arm();
    const { cookie, session } = valueOf(await signIn(ada));
    expect(await readSession(cookie)).toEqual(session);
    arm();
    await signOut(session.sessionId);
    expect(types().slice(3)).toEqual(['SessionStarted', 'SessionEnded']);
  });

  test('records a version once', async () => {
    const { hooks, arm } = atAppend(when);
    const { recordProfile, types } = marketplace(hooks);
    arm();
    const key = { organizationId: 'org', id: 'ada', version: 1 };
    expect(await recordProfile({ ...key, record: profile })).toMatchObject({ ok: true });
    expect(types()).toEqual(['ProfileRecorded']);
  });
});

/** An add-on with tokens for the user's own data, and with others for an organization. */
const scene = async (hooks: Parameters<typeof issuance>[0]) => {
  const world = await issuance(hooks);
  const { commands, addonId, userId, fence, store } = world;
  const subject = { kind: 'user', userId, epoch: 0 } as const;
  await commands.approveScopes({ userId, addonId, subject, scopes: ['openid'] });
  const [own, others] = [await world.newPair({ subject }), await world.newPair()];
  const judge = async (accessToken: string) => {
    const claims = commands.verifyAccessToken(accessToken);
    if (!claims) throw new Error('the token did not open');
    return judgeFence(claims, await fence.read(fenceSubjectsOf(claims)));
  };
  return {
    ...world,
    suspend: () => commands.suspendAddon(addonId),
    withdraw: () => commands.withdrawConsent({ userId, addonId }),
    disable: () => commands.disableUser(userId),
    revoke: (token: 'accessToken' | 'refreshToken') =>
      commands.revokeToken({ addonId, token: others[token] }),
    /** What the bearer check says about both access tokens. */
    judged: async () => [await judge(own.accessToken), await judge(others.accessToken)],
    countOf: (type: EventType) => store.all().filter(({ event }) => event.type === type).length,
  };
};

type World = Awaited<ReturnType<typeof scene>>;
type Refusals = readonly [own: FenceRefusal | null, others: FenceRefusal | null];
const ending = (type: EventType, end: (world: World) => Promise<unknown>, ...refusals: Refusals) => ({
  type,
  end,
  refusals,
});

/** What ends access, by its event, and how both access tokens are refused after it. */
describe.each([
  ending('AddonDeactivated', (world) => world.deactivate(), null, 'addon-deactivated'),
  ending('AddonSuspended', (world) => world.suspend(), 'addon-suspended', 'addon-suspended'),
  ending('ConsentWithdrawn', (world) => world.withdraw(), 'consent-withdrawn', null),
  ending('AccountDisabled', (world) => world.disable(), 'account-disabled', null),
  ending('AccessTokenRevoked', (world) => world.revoke('accessToken'), null, 'token-revoked'),
  ending('GrantRevoked', (world) => world.revoke('refreshToken'), null, 'token-revoked'),
])('P1: a command that ends access by $type', ({ type, end, refusals }) => {
  test.each(['beforeAppend', 'afterAppend'] as const)(
    'does so once when its append ends without a word (%s)',
    async (when) => {
      const { hooks, arm } = atAppend(when, type);
      const world = await scene(hooks);
      arm();
      expect(await end(world)).toMatchObject({ ok: true });
      expect([await world.judged(), world.countOf(type)]).toEqual([refusals, 1]);
    },
  );

  test('is completed by a repeat when it crashed between its append and the fence', async () => {
    let isAway = false;
    const beforeWrite = () => {
      if (isAway) throw new Error('the database is away');
    };
    const world = await scene({ fence: { beforeWrite } });
    isAway = true;
    await expect(end(world)).rejects.toThrow('the database is away');
    isAway = false;
    expect(await world.judged()).toEqual([null, null]);
    expect(await end(world)).toMatchObject({ ok: true });
    expect([await world.judged(), world.countOf(type)]).toEqual([refusals, 1]);
  });
});

describe('FX-59: whoever repeats what had an unknown outcome undoes nothing that somebody else did meanwhile', () => {
  /** The append is stored, somebody else takes it back, and the answer is lost. */
  const lost = (meanwhile: () => Promise<unknown>) => async () => {
    await meanwhile();
    throw new AppendOutcomeUnknown('no word from the log');
  };

  test('an activation stays ended that was deactivated before it was repeated', async () => {
    const { hooks, arm } = atAppend('afterAppend', 'AddonActivated');
    const over = await issuance(hooks);
    const { organizationId, addonId, fence } = over;
    valueOf(await over.deactivate());
    arm(lost(() => over.deactivate()));
    expect(await over.activate()).toMatchObject({ ok: true, value: { epoch: 2 } });
    const types = over.store.all().map(({ event }) => event.type);
    expect(types.filter((type) => type === 'AddonActivated')).toHaveLength(2);
    const subject = `activation:${organizationId}.${addonId}` as const;
    expect(await fence.read([subject])).toMatchObject([{ epoch: 2, open: false }]);
    expect(await over.activate()).toMatchObject({ ok: true, value: { epoch: 3 } });
  });

  test.each([
    ['AccountEnabled', 'enableUser', 'disableUser', 'AccountDisabled'],
    ['AddonResumed', 'resumeAddon', 'suspendAddon', 'AddonSuspended'],
  ] as const)('%s stays taken back', async (type, give, take, end) => {
    const { hooks, arm } = atAppend('afterAppend', type);
    const over = await issuance(hooks);
    const { commands, addonId, userId } = over;
    const id = give === 'enableUser' ? userId : addonId;
    valueOf(await commands[take](id));
    arm(lost(() => commands[take](id)));
    expect(await commands[give](id)).toMatchObject({ ok: true });
    const told = over.store.all().filter(({ event }) => event.type === type || event.type === end);
    expect(told.at(-1)?.event.type).toBe(end);
  });

  test('an administrator stays removed who was removed before the appointment was repeated', async () => {
    const { hooks, arm } = atAppend('afterAppend', 'AdministratorAdded');
    const market = marketplace(hooks);
    const { organizationId } = valueOf(await market.createOrganization({ name: 'Harbour House' }));
    const { userId } = valueOf(await market.createUser(ada));
    arm(lost(() => market.removeAdministrator({ organizationId, userId, force: true })));
    expect(await market.addAdministrator({ organizationId, userId })).toMatchObject({ ok: true });
    expect(await market.isAdministrator(organizationId, userId)).toBe(false);
  });

  test('DE-02: what arrives while the repeat reads is in the state by which it answers: the fence is closed', async () => {
    let late: { readonly stream: StreamName; readonly events: readonly EventToAppend[] } | null = null;
    let [isArmed, reads] = [false, 0];
    const over = await issuance({
      beforeAppend: (stream, events) => {
        if (!isArmed) return;
        [isArmed, late] = [false, { stream, events }];
        throw new AppendOutcomeUnknown('no word from the log');
      },
      beforeRead: async (stream) => {
        if (late?.stream !== stream || ++reads < 2) return; // the state was read
        const { events } = late;
        late = null;
        expect(await over.store.append(stream, 0n, events)).toMatchObject({ ok: true });
      },
    });
    isArmed = true;
    expect(await over.deactivate()).toMatchObject({ ok: true, value: { epoch: 1, repeated: true } });
    expect(reads).toBe(2);
    const subject = `activation:${over.organizationId}.${over.addonId}` as const;
    expect(await over.fence.read([subject])).toMatchObject([{ epoch: 1, open: false }]);
  });
});
