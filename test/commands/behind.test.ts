import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { makeReadSession } from '../../src/commands/sign-in/read-session.ts';
import { EventStoreUnavailable, LogBehind } from '../../src/eventstore/event-store.ts';
import { lifetimes } from '../support/scenes/grants.ts';
import { issuanceOver } from '../support/memory/issuance.ts';
import { marketplace } from '../support/scenes/marketplace.ts';
import { memoryFence } from '../support/memory/memory-fence.ts';
import { valueOf } from '../support/outcomes.ts';
import { staleStore } from '../support/memory/stale-store.ts';

type Place = ReturnType<typeof staleStore>;

type Answer = { readonly ok?: boolean; readonly value?: object; readonly userId?: string } | string | null;

/**
 * The wrong answers of a call at every earlier state of the log, without and with a leader that can be confirmed, and at
 * the present one. "Unavailable" is right, except where the leader could be confirmed and something was missing before.
 */
const wrongAnswers = async (
  place: Place,
  call: () => Promise<unknown>,
  isRight: (answer: Answer) => boolean,
): Promise<readonly unknown[]> => {
  const wrong: unknown[] = [];
  for (let events = 0; events < place.log.all().length; events += 1)
    for (const isConfirmed of [false, true]) {
      place.goBackTo(events, isConfirmed);
      place.confirmations.length = 0;
      const answer = await call().catch((error: unknown) => error);
      const isPutOff =
        answer instanceof EventStoreUnavailable && !(isConfirmed && place.confirmations.length > 0);
      if (!isPutOff && !isRight(answer as Answer)) wrong.push({ events, isConfirmed, answer });
      place.comeBack();
    }
  const now = await call();
  return isRight(now as Answer) ? wrong : [...wrong, now];
};
const bigints = (_key: string, value: unknown) => (typeof value === 'bigint' ? String(value) : value);
const isOk = (answer: Answer): boolean => typeof answer === 'object' && answer?.ok === true;

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
      expect(
        await wrongAnswers(scene.place, () => scene.refresh(pair.refreshToken, {}, scene.instance()), isOk),
      ).toEqual([]);
      expect(scene.log.all().map(({ event }) => event.type)).not.toContain('GrantRevoked');
    });

    test('FX-42: nor when the log comes back between two reads of one request', async () => {
      const wrong: unknown[] = [];
      for (const reads of [1, 2, 3]) {
        const scene = await grantScene(options);
        let { refreshToken } = await scene.newPair();
        for (let state = 0; state < 20; state += 1) {
          scene.goBackTo(Math.min(state, scene.log.all().length), false, reads);
          const asked = scene.refresh(refreshToken, {}, scene.instance());
          const answer = await asked.catch((error: unknown) => error);
          scene.comeBack();
          if (!(answer instanceof EventStoreUnavailable) && !isOk(answer as Answer)) wrong.push(answer);
          ({ refreshToken } = valueOf(await scene.refresh(refreshToken)));
        }
      }
      expect(wrong).toEqual([]);
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
      expect(
        await wrongAnswers(
          scene.place,
          () => scene.instance().introspectToken({ addonId: scene.addonId, token, audiences: [] }),
          (answer) => answer !== null,
        ),
      ).toEqual([]);
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
    expect(
      await wrongAnswers(
        scene.place,
        () => scene.instance().tokenOwner(refreshToken),
        (owner) => owner === scene.addonId,
      ),
    ).toEqual([]);
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
    expect(
      await wrongAnswers(
        place,
        () => market.judgeAddonToken(claims),
        (refusal) => refusal === null,
      ),
    ).toEqual([]);
    expect(
      await wrongAnswers(
        place,
        () => market.introspectToken({ addonId, token, audiences: [] }),
        (answer) => answer !== null,
      ),
    ).toEqual([]);
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
    expect(
      await wrongAnswers(
        scene.place,
        async () => scene.deactivate(),
        (answer) => isOk(answer) && JSON.stringify(answer, bigints).includes('"epoch":2'),
      ),
    ).toEqual([]);
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
    expect(
      await wrongAnswers(
        place,
        () => world.readSession(cookie),
        (session) => typeof session === 'object' && session?.userId === userId,
      ),
    ).toEqual([]);
    for (const call of [
      () => world.readAdministratorToken(token),
      () => world.readOperatorToken(token),
      () => world.readPasswordLink(link),
    ])
      expect(
        await wrongAnswers(place, call, (answer) => isOk(answer) && JSON.stringify(answer).includes(userId)),
      ).toEqual([]);
  });

  test('FX-42: nor is a session that the database has not seen either, before the leader was confirmed', async () => {
    const place = staleStore();
    const world = marketplace({}, place.store);
    const account = { email: 'ada@example.com', name: 'Ada', password: 'correct horse' };
    const { userId } = valueOf(await world.createUser({ ...account, administratorOf: [], roles: [] }));
    const { cookie } = valueOf(await world.signIn(account));
    const sessionUses = {
      note: () => Promise.resolve(),
      of: () => Promise.resolve([]),
      has: () => Promise.resolve(false),
    };
    const readSession = makeReadSession({ ...world, store: place.store, sessionUses });
    place.goBackTo(place.log.all().length - 1, false);
    await expect(readSession(cookie)).rejects.toThrow(EventStoreUnavailable);
    place.goBackTo(place.log.all().length - 1, true);
    expect(await readSession(cookie)).toMatchObject({ userId });
  });
});

test('FX-42: every command that completes the fence is repeated on the leader', () => {
  const folder = join(import.meta.dirname, '../../src/commands');
  const table = readFileSync(join(folder, 'make-commands.ts'), 'utf8');
  const fencing = [...table.matchAll(/^import \{([^}]+)\} from '([^']+)';$/gm)].flatMap(
    ([, names = '', file = '']) =>
      readFileSync(join(folder, file), 'utf8').includes('completeFence(')
        ? (names.match(/\bmake\w+/g) ?? [])
        : [],
  );
  expect(fencing.length).toBeGreaterThan(8);
  expect(fencing.filter((name) => !table.includes(`onLeader(${name}(`))).toEqual([]);
});
