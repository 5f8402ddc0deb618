import { expect, test } from 'vitest';
import { accountPerson } from '../../src/domain/personal-data.ts';
import { makeKeptKeyTable } from '../../src/personal/kept-key-table.ts';
import { makeKeyKeeping } from '../../src/personal/key-keeping.ts';
import { migratedDatabase } from '../support/databases.ts';
import { masterKey, masters, testPersonal } from '../support/test-personal.ts';

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
