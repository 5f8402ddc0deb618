import pg from 'pg';
import { afterAll, expect, test } from 'vitest';
import { accountPerson } from '../../src/domain/personal-data.ts';
import { PersonalDataUnavailable } from '../../src/eventstore/event-store.ts';
import { makeLostKeyTable } from '../../src/personal/lost-key-table.ts';
import { makePersonalData } from '../../src/personal/personal-data.ts';
import { makeKeyCache } from '../../src/personal/key-cache.ts';
import { makeSubjectKeys } from '../../src/personal/subject-keys.ts';
import { unwrapKey, type WrappedKey } from '../../src/personal/wrapped-key.ts';
import { migratedDatabase } from '../support/servers/databases.ts';
import { masterKey, masters, testPersonal } from '../support/memory/test-personal.ts';
import sealed from '../fixtures/sealed/AccountCreated.json' with { type: 'json' };

const database = await migratedDatabase();
afterAll(() => database.drop());

const rotated = {
  current: 'm2',
  keys: new Map([
    ['m2', masterKey(2)],
    ['m1', masterKey(1)],
  ]),
};

test('a new master key in front wraps what is new, and the old one still opens the rest', async () => {
  const [before, after] = [testPersonal(database.url), testPersonal(database.url, rotated)];
  const old = await before.keys.of(accountPerson('ROTATED'));
  expect(await after.keys.of(accountPerson('ROTATED'))).toEqual(old);
  await after.keys.of(accountPerson('NEWER'));
  expect(await before.table.countByMaster()).toEqual([
    { masterKeyId: 'm1', count: 1 },
    { masterKeyId: 'm2', count: 1 },
  ]);
  await Promise.all([before.close(), after.close()]);
});

test.each([
  [
    'is missing',
    { current: 'm3', keys: new Map([['m3', masterKey(3)]]) },
    'PERSONAL_DATA_KEYS has no key m1',
  ],
  [
    'is another one of its name',
    { current: 'm1', keys: new Map([['m1', masterKey(9)]]) },
    'the key m1 of PERSONAL_DATA_KEYS',
  ],
])('a key whose master key %s is not taken for destroyed', async (_how, given, words) => {
  const [right, wrong] = [testPersonal(database.url), testPersonal(database.url, given)];
  const { keyId } = await right.keys.of(accountPerson('KEPT'));
  const asked = wrong.keys.byId(keyId, accountPerson('KEPT'));
  await expect(asked).rejects.toThrow(PersonalDataUnavailable);
  await expect(asked).rejects.toThrow(words);
  await Promise.all([right.close(), wrong.close()]);
});

test('a deleted key is permanently gone, also where it was never made', async () => {
  const [here, there] = [testPersonal(database.url), testPersonal(database.url)];
  const { keyId } = await here.keys.of(accountPerson('DESTROYED'));
  await there.keys.of(accountPerson('DESTROYED'));
  await here.keys.destroy(accountPerson('DESTROYED'));
  await here.keys.destroy(accountPerson('DESTROYED'));
  await here.keys.destroy(accountPerson('NEVER MADE'));
  expect(await here.keys.byId(keyId, accountPerson('DESTROYED'))).toEqual({ keyId, key: null });
  expect(await here.keys.of(accountPerson('DESTROYED'))).toEqual({ keyId, key: null });
  expect(await here.keys.of(accountPerson('NEVER MADE'))).toMatchObject({ key: null });
  // Another instance goes on with what it knows until it hears of it.
  expect((await there.keys.byId(keyId, accountPerson('DESTROYED'))).key).not.toBeNull();
  there.keys.forget(accountPerson('DESTROYED'));
  expect((await there.keys.byId(keyId, accountPerson('DESTROYED'))).key).toBeNull();
  await Promise.all([here.close(), there.close()]);
});

test('what is remembered is bounded in number and in time', () => {
  let now = 0;
  const cache = makeKeyCache(2, 1_000, () => now);
  for (const name of ['a', 'b', 'c']) cache.set(name, { keyId: name, key: null });
  expect(['a', 'b', 'c'].map((name) => cache.get(name)?.keyId)).toEqual([undefined, 'b', 'c']);
  now = 1_000;
  expect(['b', 'c'].map((name) => cache.get(name))).toEqual([undefined, undefined]);
});

test('what this version sealed is opened by every later one', async () => {
  const row: WrappedKey = { ...sealed.key, wrapped: Buffer.from(sealed.key.wrapped, 'base64url') };
  const keys = makeSubjectKeys({
    masters,
    table: {
      add: () => Promise.reject(new Error('nothing is new')),
      byIds: () => Promise.resolve([row]),
      destroy: () => Promise.resolve(),
      countByMaster: () => Promise.resolve([]),
    },
    lost: makeLostKeyTable(new pg.Pool({ max: 0 })), // not asked: the key is there
    isErasedInLog: () => Promise.resolve(false),
  });
  expect(unwrapKey(masters, row)).toHaveLength(32);
  const [opened] = await makePersonalData(keys).decrypt([sealed.event]);
  expect(opened).toEqual({ personal: 'opened', data: sealed.data, fields: sealed.fields });
});
