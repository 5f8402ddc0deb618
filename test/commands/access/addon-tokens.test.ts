import { expect, test } from 'vitest';
import { longestAddonToken } from '../../../src/domain/access/addon-token.ts';
import {
  AppendOutcomeUnknown,
  EventStoreUnavailable,
  LogBehind,
} from '../../../src/eventstore/event-store.ts';
import { marketplace, valueOf } from '../../support/scenes/marketplace.ts';
import type { MemoryStoreHooks } from '../../support/memory/memory-store.ts';

type Hooks = { -readonly [K in keyof MemoryStoreHooks]: MemoryStoreHooks[K] };

/** A confidential add-on with two secrets; `hooks` may be set later. */
const scene = async () => {
  const hooks: Hooks = {};
  const market = marketplace({
    beforeAppend: (...given) => hooks.beforeAppend?.(...given),
    afterAppend: (...given) => hooks.afterAppend?.(...given),
    beforeRead: (...given) => hooks.beforeRead?.(...given),
  });
  const { clientId: addonId } = valueOf(
    await market.registerAddon({
      name: 'Sync',
      redirectUris: ['https://addon.example/callback'],
      configurationUrl: null,
      allowedScopes: ['openid'],
      confidential: true,
    }),
  );
  valueOf(await market.addAddonSecret(addonId));
  const [first] = (await market.listAddonSecrets(addonId)) ?? [];
  const secretId = first?.secretId ?? '';
  const remove = () => market.removeAddonSecret({ addonId, secretId });
  const take = () => market.issueAddonToken({ addonId, secretId, scopes: ['ssf.read'] });
  const judge = (token: string) => {
    const claims = market.readAddonToken(token);
    if (!claims) throw new Error('no token of an add-on');
    return market.judgeAddonToken(claims);
  };
  return { ...market, hooks, addonId, secretId, remove, take, judge };
};

/** The places in the issue of a token between which another instance may remove its secret. */
const places = ['beforeRead', 'beforeAppend', 'afterAppend'] as const;

test.each(places)('SG-02: a secret that is removed %s leaves no valid token', async (place) => {
  const { hooks, remove, take, judge } = await scene();
  const doing = () => {
    delete hooks[place];
    return remove().then(() => undefined);
  };
  hooks[place] = doing;
  const taken = await take();
  const ended = taken.ok ? await judge(taken.value.accessToken) : taken.refusal;
  expect(ended).toBe(place === 'beforeRead' ? 'secret-removed' : 'token-revoked');
});

test('SG-02: a use reads one event of the add-on and one of the token, whatever was in their streams', async () => {
  const { take, judge, reads, addonId, addAddonSecret, removeAddonSecret, listAddonSecrets } = await scene();
  const { accessToken } = valueOf(await take());
  for (let time = 0; time < 3; time += 1) {
    valueOf(await addAddonSecret(addonId));
    const newest = (await listAddonSecrets(addonId))?.at(-1)?.secretId ?? '';
    await removeAddonSecret({ addonId, secretId: newest });
  }
  expect(await judge(accessToken)).toBeNull();
  reads.length = 0;
  expect(await judge(accessToken)).toBeNull();
  expect(new Set(reads.map((stream) => stream.split('-')[0]))).toEqual(new Set(['addon', 'clientToken']));
  expect(reads).toHaveLength(2);
});

test('SG-02: a token that the log does not know opens nothing, and without the log nothing is opened', async () => {
  const { take, judge, hooks, keys, issueAddonToken, readAddonToken, addonId, secretId } = await scene();
  const other = await scene();
  expect(other.keys).toEqual(keys);
  const { accessToken } = valueOf(await other.take());
  const claims = readAddonToken(accessToken);
  expect(claims).toMatchObject({ addonId: other.addonId });
  await expect(judge(accessToken)).rejects.toThrow(LogBehind); // of an add-on that this log does not know
  expect(await issueAddonToken({ addonId, secretId: 'of-another', scopes: [] })).toMatchObject({ ok: false });
  const own = valueOf(await take()).accessToken;
  hooks.beforeRead = () => {
    throw new EventStoreUnavailable('away');
  };
  await expect(judge(own)).rejects.toThrow(EventStoreUnavailable);
  expect(secretId).not.toBe('');
});

test('SG-02: an append whose answer was lost made the token, once', async () => {
  const { take, judge, hooks, types } = await scene();
  hooks.afterAppend = () => {
    delete hooks.afterAppend;
    throw new AppendOutcomeUnknown('no answer');
  };
  const { accessToken, expiresIn } = valueOf(await take());
  expect([await judge(accessToken), expiresIn]).toEqual([null, longestAddonToken / 1000]);
  expect(types().filter((type) => type === 'AddonTokenIssued')).toHaveLength(1);
});

test('SG-02: revoked before and after its add-on, it is revoked once and stays so', async () => {
  const { take, judge, revokeToken, addonId, types } = await scene();
  const token = valueOf(await take()).accessToken;
  expect(await revokeToken({ addonId: 'another', token })).toMatchObject({
    refusal: 'token-of-another-client',
  });
  for (const value of ['revoked', 'nothing-to-revoke'])
    expect(await revokeToken({ addonId, token })).toEqual({ ok: true, value });
  expect(await judge(token)).toBe('token-revoked');
  expect(types().filter((type) => type === 'AddonTokenRevoked')).toHaveLength(1);
});
