import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { accountPerson } from '../../src/domain/personal-data.ts';
import { makeKeptKeyTable, type LiveKey } from '../../src/personal/kept-key-table.ts';
import { makeKeyKeeping } from '../../src/personal/key-keeping.ts';
import { destroyKeysAgain } from '../../src/projections/working-state/destroyed-keys.ts';
import { migratedDatabase } from '../support/servers/databases.ts';
import { masterKey, masters, testPersonal } from '../support/memory/test-personal.ts';

test('wrapping anew goes on where it was interrupted, page by page, and leaves destroyed keys alone', async () => {
  const database = await migratedDatabase();
  const { keys, table, pool, close } = testPersonal(database.url);
  const people = ['A', 'B', 'C', 'D', 'E'].map(accountPerson);
  const before = await Promise.all(people.map((person) => keys.of(person)));
  await keys.destroy(accountPerson('E'));
  const both = { current: 'm2', keys: new Map([...masters.keys, ['m2', masterKey(2)]]) };
  const kept = { ...table, ...makeKeptKeyTable(pool) };
  const interrupting = new AbortController();
  const once = makeKeyKeeping({
    masters: both,
    atOnce: 2,
    table: {
      ...kept,
      rewrap: (page) => {
        interrupting.abort();
        return kept.rewrap(page);
      },
    },
  });
  expect(await once.rewrap(interrupting.signal)).toEqual({ rewrapped: 2, interrupted: true });
  const again = makeKeyKeeping({ masters: both, atOnce: 2, table: kept });
  expect(await again.rewrap(new AbortController().signal)).toEqual({ rewrapped: 2, interrupted: false });

  const after = testPersonal(database.url, { current: 'm2', keys: new Map([['m2', masterKey(2)]]) });
  const found = await Promise.all(
    before.map(({ keyId }) => after.keys.byId(keyId, accountPerson('ANYBODY'))),
  );
  expect(found.slice(0, 4)).toEqual(before.slice(0, 4));
  expect(found[4]?.key).toBeNull();
  await Promise.all([close(), after.close()]);
  await database.drop();
});

test('a key that is destroyed while it is wrapped anew stays destroyed', async () => {
  const database = await migratedDatabase();
  const { keys, table, pool, close } = testPersonal(database.url);
  await keys.of(accountPerson('A'));
  const kept = { ...table, ...makeKeptKeyTable(pool) };
  const keeping = makeKeyKeeping({
    masters: { current: 'm2', keys: new Map([...masters.keys, ['m2', masterKey(2)]]) },
    table: {
      ...kept,
      rewrap: async (page) => {
        await keys.destroy(accountPerson('A'));
        return kept.rewrap(page);
      },
    },
  });
  expect(await keeping.rewrap(new AbortController().signal)).toMatchObject({ rewrapped: 0 });
  expect(await keeping.countByMaster()).toEqual([]);
  await close();
  await database.drop();
});

const fresh = async () => {
  const database = await migratedDatabase();
  const personal = testPersonal(database.url);
  const keeping = (given = masters) =>
    makeKeyKeeping({
      masters: given,
      atOnce: 2,
      table: { ...personal.table, ...makeKeptKeyTable(personal.pool) },
    });
  const kept = async (): Promise<readonly LiveKey[]> => {
    const all: LiveKey[] = [];
    for await (const page of keeping().all()) all.push(...page);
    return all;
  };
  const sealedOf = async (userId: string, name: string) => {
    const data = { userId, email: 'ada@engines.example', name, roles: [], at: 1 };
    const stream = `account-${userId}`;
    const event = { type: 'AccountCreated' as const, data, metadata: { version: 1 } };
    const [sealed] = await personal.data.encrypt(stream, [event]);
    return { stream, type: event.type, data: sealed?.data ?? {} };
  };
  const lose = async (subject: ReturnType<typeof accountPerson>) => {
    await personal.pool.query('delete from subject_keys where subject = $1', [subject]);
    personal.keys.forget(subject);
  };
  const close = async () => {
    await personal.close();
    await database.drop();
  };
  return { ...personal, keeping, kept, sealedOf, lose, close };
};

const each = <T>(all: readonly T[]): AsyncIterable<T> => Readable.from(all);

const nobody = () => false;

test('OP-01: a key that is put back after its person was given another one decrypts what it encrypted, in addition to that one', async () => {
  const { data, keys, pool, keeping, kept, sealedOf, lose, close } = await fresh();
  const [ada, eve] = [accountPerson('ADA'), accountPerson('EVE')];
  const [first] = [await sealedOf('ADA', 'Ada'), await keys.of(eve)];
  const backup = await kept();
  await lose(ada);
  const second = await sealedOf('ADA', 'Ada Lovelace');
  const names = async () =>
    (await data.decrypt([first, second])).map((opened) => (opened.data as { readonly name?: string }).name);
  expect(await names()).toEqual(['key lost', 'Ada Lovelace']);
  expect([await keys.countLost(), await keeping().countMissing(each(backup))]).toEqual([1, 1]);

  const restored = { erased: 0, emailsReplaced: false };
  expect(await keeping().restore(each(backup), nobody)).toEqual({
    ...restored,
    added: 1,
    present: 1,
    replaced: 1,
  });
  expect(await keeping().restore(each(backup), nobody)).toEqual({
    ...restored,
    added: 0,
    present: 2,
    replaced: 0,
  });
  expect(await names()).toEqual(['Ada', 'Ada Lovelace']);
  expect([await keys.countLost(), await keeping().countMissing(each(backup))]).toEqual([0, 0]);
  expect((await kept()).map(({ subject }) => subject)).toEqual([ada, ada, eve]);
  expect((await keys.of(ada)).keyId).toBe((second.data as { personal: { key: string } }).personal.key);

  const both = { current: 'm2', keys: new Map([...masters.keys, ['m2', masterKey(2)]]) };
  expect(await keeping(both).rewrap(new AbortController().signal)).toEqual({
    rewrapped: 3,
    interrupted: false,
  });
  expect(await keeping(both).countByMaster()).toEqual([{ masterKeyId: 'm2', count: 3, current: true }]);
  const rows = await pool.query('select from earlier_subject_keys');
  expect(rows.rowCount).toBe(1);
  await close();
});

test.each([
  ['a command', async ({ keys }: Awaited<ReturnType<typeof fresh>>) => keys.destroy(accountPerson('ADA'))],
  [
    'the projector of a database that lost the newer key, too',
    async ({ pool, lose }: Awaited<ReturnType<typeof fresh>>) => {
      await lose(accountPerson('ADA'));
      await destroyKeysAgain(pool, [accountPerson('ADA')]);
    },
  ],
])(
  'earlier keys are destroyed with the newer one, by %s, and nothing brings them back',
  async (_by, destroy) => {
    const scene = await fresh();
    const { data, keys, pool, keeping, kept, sealedOf, lose, close } = scene;
    const event = await sealedOf('ADA', 'Ada');
    const backup = await kept();
    await lose(accountPerson('ADA'));
    await keys.of(accountPerson('ADA'));
    await keeping().restore(each(backup), nobody);
    expect(await data.decrypt([event])).toMatchObject([{ personal: 'opened' }]);
    await destroy(scene);
    expect(await data.decrypt([event])).toMatchObject([{ personal: 'erased', data: { name: 'erased' } }]);
    expect(await keeping().restore(each(backup), nobody)).toMatchObject({ added: 0, erased: 1 });
    expect((await pool.query('select from earlier_subject_keys')).rowCount).toBe(0);
    expect(await kept()).toEqual([]);
    await close();
  },
);
