import { describe, expect, test } from 'vitest';
import { EventStoreUnavailable, LogBehind } from '../../src/eventstore/event-store.ts';
import { lifetimes } from '../support/grants.ts';
import { issuanceOver } from '../support/issuance.ts';
import { marketplace } from '../support/marketplace.ts';
import { memoryFence } from '../support/memory-fence.ts';
import { valueOf } from '../support/outcomes.ts';
import { staleStore } from '../support/stale-store.ts';

type Place = ReturnType<typeof staleStore>;

/** What a call does at every earlier state of the log, without and with a leader that can be confirmed. */
const atEveryState = async (
  { log, goBackTo, comeBack, confirmations }: Place,
  call: () => Promise<unknown>,
  isRight: (answer: unknown) => void,
) => {
  for (let events = 0; events < log.all().length; events += 1) {
    goBackTo(events, false);
    const answer = await call().catch((error: unknown) => error);
    if (!(answer instanceof EventStoreUnavailable)) isRight(answer);
    goBackTo(events, true);
    confirmations.length = 0;
    const again = await call().catch((error: unknown) => error);
    // What needs an append that is not acknowledged is unavailable without any doubt about the log.
    if (again instanceof EventStoreUnavailable) expect(confirmations).toEqual([]);
    else isRight(again);
    comeBack();
  }
  isRight(await call());
};

const grantScene = async (options: { appendsReachLeader?: boolean } = {}) => {
  const place = staleStore(options);
  const world = issuanceOver({ store: place.store, fence: memoryFence() });
  await world.prepare();
  valueOf(await world.activate());
  return { ...place, ...world, place };
};
const ok = { ok: true };

describe.each([{ appendsReachLeader: false }, { appendsReachLeader: true }])(
  'a log that is read in an earlier state; appends reach the leader: $appendsReachLeader',
  (options) => {
    test('FX-42: the newest refresh token is never refused, and its grant is not lost', async () => {
      const scene = await grantScene(options);
      let pair = await scene.newPair();
      for (const _ of [1, 2, 3]) pair = valueOf(await scene.refresh(pair.refreshToken));
      await atEveryState(
        scene.place,
        () => scene.refresh(pair.refreshToken, {}, scene.instance()),
        (answer) => expect(answer).toMatchObject(ok),
      );
      expect(scene.log.all().map(({ event }) => event.type)).not.toContain('GrantRevoked');
    });

    test('FX-42: nor when the log comes back between two reads of one request', async () => {
      for (const reads of [1, 2, 3]) {
        const scene = await grantScene(options);
        let { refreshToken } = await scene.newPair();
        for (let state = 0; state < scene.log.all().length && state < 20; state += 1) {
          scene.goBackTo(state, false, reads);
          const answer = await scene
            .refresh(refreshToken, {}, scene.instance())
            .catch((error: unknown) => error);
          scene.comeBack();
          if (!(answer instanceof EventStoreUnavailable)) expect(answer).toMatchObject(ok);
          ({ refreshToken } = valueOf(await scene.refresh(refreshToken)));
        }
      }
    });

    test('FX-42: a code is never refused, and works', async () => {
      const scene = await grantScene(options);
      const code = await scene.issue();
      const events = scene.log.all().length;
      for (let state = 0; state < events; state += 1) {
        scene.goBackTo(state, false);
        await expect(scene.exchange(code, {}, scene.instance())).rejects.toThrow(EventStoreUnavailable);
      }
      scene.goBackTo(events - 1, true);
      expect(await scene.exchange(code, {}, scene.instance())).toMatchObject(ok);
    });
  },
);

describe('a token is active or the answer is 503', () => {
  test('FX-42: introspection of access tokens and of the newest refresh token', async () => {
    const scene = await grantScene();
    const pairs = [await scene.newPair()];
    for (const _ of [1, 2]) pairs.push(valueOf(await scene.refresh(pairs.at(-1)?.refreshToken ?? '')));
    const newest = pairs.at(-1)?.refreshToken ?? '';
    for (const token of [...pairs.map(({ accessToken }) => accessToken), newest])
      await atEveryState(
        scene.place,
        () => scene.instance().introspectToken({ addonId: scene.addonId, token, audiences: [] }),
        (answer) => expect(answer).not.toBeNull(),
      );
  });

  test('FX-42: a revocation that finds nothing to revoke does not say so', async () => {
    const scene = await grantScene();
    const { accessToken, refreshToken } = await scene.newPair();
    for (const token of [accessToken, refreshToken])
      for (let state = 0; state < scene.log.all().length; state += 1) {
        scene.goBackTo(state, false);
        const revoked = scene.instance().revokeToken({ addonId: scene.addonId, token });
        await expect(revoked).rejects.toThrow(EventStoreUnavailable);
        scene.comeBack();
      }
    await atEveryState(
      scene.place,
      () => scene.instance().tokenOwner(refreshToken),
      (owner) => expect(owner).toBe(scene.addonId),
    );
    expect(await scene.commands.revokeToken({ addonId: scene.addonId, token: refreshToken })).toMatchObject({
      value: 'revoked',
    });
  });

  test('FX-42: a token that an add-on took for itself', async () => {
    const place = staleStore();
    const market = marketplace({}, place.store);
    const about = { redirectUris: ['https://addon.example/callback'], configurationUrl: null };
    const { clientId: addonId } = valueOf(
      await market.registerAddon({ ...about, name: 'Sync', allowedScopes: ['openid'], confidential: true }),
    );
    const secretId = valueOf(await market.addAddonSecret(addonId)).secretId;
    const issued = await market.issueAddonToken({ addonId, secretId, scopes: ['ssf.read'] });
    const token = valueOf(issued).accessToken;
    const claims = market.readAddonToken(token);
    if (!claims) throw new Error('no token');
    await atEveryState(
      place,
      () => market.judgeAddonToken(claims),
      (refusal) => expect(refusal).toBeNull(),
    );
    await atEveryState(
      place,
      () => market.introspectToken({ addonId, token, audiences: [] }),
      (answer) => expect(answer).not.toBeNull(),
    );
    place.goBackTo(place.log.all().length - 1, false);
    await expect(market.revokeToken({ addonId, token })).rejects.toThrow(EventStoreUnavailable);
  });
});

describe('what the process or another table has seen', () => {
  test('FX-42: this process does not judge a token by less than it remembers of the grant', async () => {
    const scene = await grantScene();
    const first = await scene.newPair();
    const second = valueOf(await scene.refresh(first.refreshToken));
    const third = valueOf(await scene.refresh(second.refreshToken));
    scene.goBackTo(scene.log.all().length - 2, false);
    for (const { refreshToken } of [first, second, third])
      await expect(scene.refresh(refreshToken)).rejects.toThrow(EventStoreUnavailable);
    scene.comeBack();
    expect(await scene.refresh(third.refreshToken)).toMatchObject(ok);
  });

  test('FX-42: an expired code whose stream is missing is refused, unless the read models know its grant', async () => {
    const scene = await grantScene();
    const code = await scene.issue();
    const state = scene.log.all().length - 1;
    scene.pass(lifetimes.code);
    scene.goBackTo(state, false);
    expect(await scene.exchange(code)).toMatchObject({ ok: false, refusal: 'code-unknown' });
    expect(scene.confirmations).toEqual([]);
    const known = new Map([[scene.grantIdOf(code), { status: 'redeemed', rotation: 0 } as const]]);
    const knowing = scene.instance({ knownGrants: () => Promise.resolve(known) });
    await expect(scene.exchange(code, {}, knowing)).rejects.toThrow(EventStoreUnavailable);
    scene.goBackTo(state + 1, false);
    await expect(scene.exchange(code, {}, knowing)).rejects.toThrow(EventStoreUnavailable);
  });

  test('FX-42: where the leader is confirmed and the log still lacks the grant, nothing is concluded', async () => {
    const scene = await grantScene();
    const { refreshToken } = await scene.newPair();
    const other = await grantScene();
    await expect(other.refresh(refreshToken)).rejects.toThrow(LogBehind);
    expect(other.confirmations).toEqual([false]);
  });
});

describe('a deactivation', () => {
  test('FX-42: is not called a repeat, nor unknown, on a log that ends before what the fence knows', async () => {
    const scene = await grantScene();
    valueOf(await scene.deactivate());
    valueOf(await scene.activate());
    await atEveryState(
      scene.place,
      async () => scene.deactivate(),
      (answer) => expect(answer).toMatchObject({ ok: true, value: { epoch: 2 } }),
    );
  });
});

describe('users', () => {
  test('FX-42: session, administrator token, link and operator token are never refused on an earlier log', async () => {
    const place = staleStore();
    const world = marketplace({}, place.store);
    const { organizationId } = valueOf(await world.createOrganization({ name: 'Harbour House' }));
    const account = { email: 'ada@example.com', name: 'Ada', password: 'correct horse' };
    const { userId } = valueOf(
      await world.createUser({ ...account, administratorOf: [organizationId], roles: ['operator'] }),
    );
    const { cookie } = valueOf(await world.signIn(account));
    const request = { userId, organizationId: null, name: 'Nightly', days: 30, by: userId };
    const { token } = valueOf(await world.issueAdministratorToken(request));
    const link = valueOf(await world.issuePasswordLink(userId)).token;
    await atEveryState(
      place,
      () => world.readSession(cookie),
      (session) => expect(session).toMatchObject({ userId }),
    );
    for (const call of [
      () => world.readAdministratorToken(token),
      () => world.readOperatorToken(token),
      () => world.readOperatorToken(cookie),
      () => world.readPasswordLink(link),
    ])
      await atEveryState(place, call, (answer) =>
        expect(answer).toMatchObject({ ok: true, value: { userId } }),
      );
  });
});
