import { describe, expect, test } from 'vitest';
import {
  activationSubject,
  addonSubject,
  fenceSubjectsOf,
  grantSubject,
  judgeFence,
} from '../../../src/domain/fence/fence.ts';
import { AppendOutcomeUnknown } from '../../../src/eventstore/event-store.ts';
import { days, seconds, t0 } from '../../support/scenes/grants.ts';
import { grantIdIn, issuance, issuanceOver } from '../../support/memory/issuance.ts';
import { memoryFence } from '../../support/memory/memory-fence.ts';
import { memoryStore } from '../../support/memory/memory-store.ts';
import { refusalOf, valueOf } from '../../support/outcomes.ts';
import type { EventType } from '../../../src/domain/events.ts';
import { atAppend } from '../../support/memory/at-append.ts';

describe('activating', () => {
  test('opens the fence at the epoch and answers where the administrator goes on', async () => {
    const { activate, fence, organizationId, addonId, commands } = await issuance();
    expect(valueOf(await activate())).toMatchObject({
      epoch: 1,
      configurationUrl: 'https://addon.example/configure',
    });
    expect(fence.rows().get(activationSubject(organizationId, addonId))).toMatchObject({
      epoch: 1,
      open: true,
    });
    expect(await commands.showActivation(organizationId, addonId)).toMatchObject({
      status: 'active',
      epoch: 1,
    });
  });

  test('AC-01: leaves a hand-off of ten minutes in the session that did it', async () => {
    const { commands, store, organizationId, addonId, userId } = await issuance();
    const sessionId = userId; // any ULID
    const origin = { device: null, network: null, upstream: null, passkey: null };
    const expiresAt = Number.MAX_SAFE_INTEGER;
    const start = { sessionId, userId, keyId: 'k1', salt: 's', at: 0, expiresAt, ...origin };
    await store.append(`session-${sessionId}`, 'no-stream', [
      { event: { type: 'SessionStarted', data: start } },
    ]);
    valueOf(await commands.activateAddon({ organizationId, addonId, by: userId, sessionId }));
    expect(store.all().at(-1)?.event).toEqual({
      type: 'ActivationHandedOff',
      data: { organizationId, addonId, at: t0, expiresAt: t0 + seconds(600) },
    });
  });

  test('AC-02: needs a configuration URL', async () => {
    const over = issuanceOver({ store: memoryStore(), fence: memoryFence() });
    await over.prepare({ configurationUrl: null });
    expect(refusalOf(await over.activate())).toBe('configuration-url-missing');
  });

  test('needs an add-on that exists and is not suspended, and an organization that exists', async () => {
    const { commands, activate, addonId, organizationId, userId } = await issuance();
    const asked = { addonId, organizationId, by: userId, sessionId: null };
    const unknown = (changes: Partial<typeof asked>) => commands.activateAddon({ ...asked, ...changes });
    for (const bad of [userId, 'x-y', '', '../..']) {
      expect(refusalOf(await unknown({ addonId: bad }))).toBe('addon-unknown');
      expect(refusalOf(await unknown({ organizationId: bad }))).toBe('organization-unknown');
    }
    await commands.suspendAddon(addonId);
    expect(refusalOf(await activate())).toBe('addon-suspended');
  });
});

describe('deactivating', () => {
  test('P1, RT-16: closes the fence before it answers, for every token of the epoch', async () => {
    const { newPair, deactivate, refresh, commands, fence, store } = await issuance();
    const { accessToken, refreshToken } = await newPair();
    const claims = commands.verifyAccessToken(accessToken);
    if (!claims) throw new Error('the token did not open');
    const judged = async () => judgeFence(claims, await fence.read(fenceSubjectsOf(claims)));
    expect(await judged()).toBeNull();
    valueOf(await deactivate());
    const { length } = store.all();
    expect(await judged()).toBe('addon-deactivated');
    expect(refusalOf(await refresh(refreshToken))).toBe('addon-deactivated');
    expect(store.all()).toHaveLength(length);
  });

  test('DE-01, DA-01: is one event, however many tokens there are', async () => {
    const { newPair, deactivate, store } = await issuance();
    for (const _ of [1, 2, 3]) await newPair();
    const before = store.all().length;
    valueOf(await deactivate());
    expect(store.all()).toHaveLength(before + 1);
  });

  test('DE-05, DA-05, DE-06: asked twice, names the same epoch and position and appends nothing', async () => {
    const { deactivate, store, pass } = await issuance();
    const { fencedAt: _first, ...receipt } = valueOf(await deactivate());
    const before = store.all().length;
    pass(5_000);
    const { fencedAt: _second, ...again } = valueOf(await deactivate());
    expect(again).toEqual({ ...receipt, repeated: true });
    expect(store.all()).toHaveLength(before);
  });

  test('of what never was active says so, or what is unknown', async () => {
    const over = issuanceOver({ store: memoryStore(), fence: memoryFence() });
    expect(refusalOf(await over.deactivate())).toBe('addon-unknown');
    await over.prepare();
    expect(refusalOf(await over.deactivate())).toBe('never-activated');
    const { commands, addonId, userId } = over;
    const elsewhere = { addonId, organizationId: userId, by: userId };
    expect(refusalOf(await commands.deactivateAddon(elsewhere))).toBe('organization-unknown');
    const forged = { addonId, organizationId: 'a-b', by: userId };
    expect(refusalOf(await commands.deactivateAddon(forged))).toBe('organization-unknown');
  });

  test('DE-05, DA-04: a new activation is a new epoch in which the old tokens stay dead', async () => {
    const { newPair, deactivate, activate, refresh } = await issuance();
    const { refreshToken } = await newPair();
    await deactivate();
    expect(valueOf(await activate()).epoch).toBe(2);
    expect(refusalOf(await refresh(refreshToken))).toBe('addon-deactivated');
    valueOf(await refresh((await newPair()).refreshToken));
  });
});

describe('a deactivation between the append and the answer (P2)', () => {
  /** Does something right after the first event of this type was appended, before its request goes on. */
  const after = async (type: EventType, act: 'deactivate' | 'slip' | 'suspend') => {
    const { hooks, arm } = atAppend('afterAppend', type);
    const over = await issuance(hooks);
    const acts = {
      deactivate: over.deactivate,
      slip: async () => {
        valueOf(await over.deactivate());
        valueOf(await over.activate());
      },
      suspend: () => over.commands.suspendAddon(over.addonId),
    };
    return { ...over, arm: () => arm(acts[act]) };
  };

  test.each(['deactivate', 'slip'] as const)('lets no exchange be answered (%s)', async (act) => {
    const { issue, exchange, grantEvents, arm } = await after('AuthorizationCodeRedeemed', act);
    const code = await issue();
    arm();
    expect(refusalOf(await exchange(code))).toBe('addon-deactivated');
    expect(grantEvents().slice(-2)).toEqual(['AuthorizationCodeRedeemed', 'GrantRevoked']);
    expect(refusalOf(await exchange(code))).toBe('grant-revoked');
  });

  test.each(['deactivate', 'slip'] as const)('lets no code be answered, and ends it (%s)', async (act) => {
    const { issueOutcome, grantEvents, fence, store, arm } = await after('AuthorizationCodeIssued', act);
    arm();
    expect(refusalOf(await issueOutcome())).toBe('addon-not-active');
    expect(grantEvents()).toEqual(['AuthorizationCodeIssued', 'GrantRevoked']);
    expect(store.all().at(-1)?.event).toMatchObject({ data: { reason: 'addon-deactivated' } });
    expect(fence.rows().get(grantSubject(grantIdIn(store)))?.open).toBe(false);
  });

  test('SU-01: lets no code be answered while the add-on is suspended', async () => {
    const { issueOutcome, grantEvents, arm } = await after('AuthorizationCodeIssued', 'suspend');
    arm();
    expect(refusalOf(await issueOutcome())).toBe('addon-suspended');
    expect(grantEvents()).toEqual(['AuthorizationCodeIssued']);
  });

  test.each(['deactivate', 'slip'] as const)('lets no refresh be answered (%s)', async (act) => {
    const { newPair, refresh, grantEvents, arm } = await after('TokensRefreshed', act);
    const { refreshToken } = await newPair();
    arm();
    expect(refusalOf(await refresh(refreshToken))).toBe('addon-deactivated');
    expect(grantEvents().slice(-2)).toEqual(['TokensRefreshed', 'GrantRevoked']);
  });

  test('SU-01: a suspension keeps the pair back, and answers with it once it is lifted, however late', async () => {
    const { newPair, refresh, commands, addonId, arm, pass, grantEvents } = await after(
      'TokensRefreshed',
      'suspend',
    );
    const { refreshToken } = await newPair();
    arm();
    expect(refusalOf(await refresh(refreshToken))).toBe('addon-suspended');
    expect(refusalOf(await refresh(refreshToken))).toBe('addon-suspended');
    expect(grantEvents().slice(-2)).toEqual(['TokensRefreshed', 'TokensWithheld']);
    pass(days(2));
    valueOf(await commands.resumeAddon(addonId));
    const { refreshToken: successor } = valueOf(await refresh(refreshToken));
    expect(valueOf(await refresh(refreshToken)).refreshToken).toBe(successor);
    valueOf(await refresh(successor));
    expect(refusalOf(await refresh(refreshToken))).toBe('token-reused');
  });

  test.each(['deactivate', 'slip'] as const)(
    'lets no repeat inside the grace be answered (%s)',
    async (act) => {
      const setup: { act?: () => Promise<unknown> } = {};
      const over = await issuance({
        fence: {
          beforeRead: async (subjects) => {
            // The first look is over once the stream has been read again for the repeat.
            if (!setup.act || !subjects.includes(addonSubject(over.addonId))) return;
            if (looks++ === 0) return;
            const { act: now } = setup;
            delete setup.act;
            await now();
          },
        },
      });
      let looks = 0;
      const { refreshToken } = await over.newPair();
      valueOf(await over.refresh(refreshToken));
      setup.act = async () => {
        valueOf(await over.deactivate());
        if (act === 'slip') valueOf(await over.activate());
      };
      expect(refusalOf(await over.refresh(refreshToken))).toBe('addon-deactivated');
      expect(over.grantEvents().at(-1)).toBe('GrantRevoked');
    },
  );

  test('TC-14: lets no retried unknown outcome be answered', async () => {
    const { hooks, arm } = atAppend('afterAppend', 'AuthorizationCodeRedeemed');
    const over = await issuance(hooks);
    const code = await over.issue();
    arm(async () => {
      await over.deactivate();
      throw new AppendOutcomeUnknown('no word');
    });
    expect(refusalOf(await over.exchange(code))).toBe('addon-deactivated');
    expect(over.grantEvents().at(-1)).toBe('GrantRevoked');
  });
});
