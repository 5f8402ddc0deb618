import { afterAll, expect, test } from 'vitest';
import { makeEraseProfile } from '../../src/commands/records/erase-profile.ts';
import { makeEraseUser } from '../../src/commands/people/accounts/erase-user.ts';
import { accountPerson } from '../../src/domain/personal-data.ts';
import { migratedDatabase } from '../support/servers/databases.ts';
import { masters, testPersonal } from '../support/memory/test-personal.ts';

const database = await migratedDatabase();
afterAll(() => database.drop());

/** An instance over the test's database; what is taken away from it was there before. */
const instance = (isErasedInLog?: (subject: string) => Promise<boolean>) =>
  testPersonal(database.url, masters, isErasedInLog);
const lose = async (
  { pool, keys }: ReturnType<typeof instance>,
  subject: ReturnType<typeof accountPerson>,
) => {
  await pool.query('delete from subject_keys where subject = $1', [subject]);
  keys.forget(subject);
};
const created = (userId: string) => ({
  stream: `account-${userId}`,
  type: 'AccountCreated' as const,
  data: { userId, email: 'ada@engines.example', name: 'Ada', roles: [], at: 1 },
});
/** An event of somebody, as it is stored. */
const sealedOf = async ({ data }: ReturnType<typeof instance>, userId: string) => {
  const { stream, ...event } = created(userId);
  const [sealed] = await data.encrypt(stream, [{ ...event, metadata: { version: 1 } }]);
  if (!sealed) throw new Error('nothing was sealed');
  return { stream, type: event.type, data: sealed.data };
};

test('TR-03: a key that is missing is lost, for every instance and after a restart, until it is back', async () => {
  const before = instance();
  const event = await sealedOf(before, 'LOST');
  const { rows } = await before.pool.query<Record<string, unknown>>(
    `select subject, key_id, master_key_id, wrapped_key from subject_keys where subject = 'account:LOST'`,
  );
  await lose(before, accountPerson('LOST'));

  const [here, there] = [instance(), instance()];
  expect([here.keys.hasLost(), await here.keys.countLost()]).toEqual([false, 0]);
  for (const { data } of [here, here, there])
    expect(await data.decrypt([event])).toMatchObject([
      { personal: 'key lost', data: { email: 'key lost', name: 'key lost', roles: [] }, fields: {} },
    ]);
  expect([here.alarms, there.alarms]).toEqual([['account:LOST'], []]);
  expect([here.keys.hasLost(), there.keys.hasLost()]).toEqual([true, true]);
  const restarted = instance();
  expect(await restarted.keys.countLost()).toBe(1);

  const [row = {}] = rows;
  await here.pool.query(
    'insert into subject_keys (subject, key_id, master_key_id, wrapped_key) values ($1, $2, $3, $4)',
    Object.values(row),
  );
  expect(await here.data.decrypt([event])).toMatchObject([{ personal: 'opened', data: { name: 'Ada' } }]);
  expect(await restarted.keys.countLost()).toBe(0);
  await Promise.all([before, here, there, restarted].map(({ close }) => close()));
});

test('TR-03: a tombstone says destroyed, under whatever key id, and ends what was lost', async () => {
  const keys = instance();
  const event = await sealedOf(keys, 'TOMB');
  await lose(keys, accountPerson('TOMB'));
  expect(await keys.data.decrypt([event])).toMatchObject([{ personal: 'key lost' }]);
  expect(await keys.keys.countLost()).toBe(1);
  await keys.keys.destroy(accountPerson('TOMB')); // there is no row to empty: it gets another key id
  expect(await keys.data.decrypt([event])).toMatchObject([{ personal: 'erased', data: { name: 'erased' } }]);
  expect(await keys.keys.countLost()).toBe(0);
  await keys.close();
});

test('TR-03: a key given to a person meanwhile does not hide that the one before is lost', async () => {
  const keys = instance();
  const event = await sealedOf(keys, 'AGAIN');
  await lose(keys, accountPerson('AGAIN'));
  const newer = await sealedOf(keys, 'AGAIN');
  expect(await keys.data.decrypt([event, newer])).toMatchObject([
    { personal: 'key lost' },
    { personal: 'opened' },
  ]);
  await keys.keys.destroy(accountPerson('AGAIN'));
  expect(await keys.data.decrypt([event, newer])).toMatchObject([
    { personal: 'erased' },
    { personal: 'erased' },
  ]);
  await keys.close();
});

test('TR-03: without a tombstone the log says who was erased, and is asked once', async () => {
  const asked: string[] = [];
  const keys = instance((subject) => Promise.resolve(asked.push(subject) > 0));
  const event = await sealedOf(keys, 'EARLY');
  await lose(keys, accountPerson('EARLY'));
  for (let i = 0; i < 2; i++)
    expect(await keys.data.decrypt([event])).toMatchObject([{ personal: 'erased' }]);
  expect([asked, keys.alarms, keys.keys.hasLost()]).toEqual([['account:EARLY'], [], false]);
  await keys.close();
});

test('TR-03: while the log does not answer a key is neither lost nor destroyed', async () => {
  const keys = instance(() => Promise.reject(new Error('the log is away')));
  const event = await sealedOf(keys, 'UNSURE');
  await lose(keys, accountPerson('UNSURE'));
  await expect(keys.data.decrypt([event])).rejects.toThrow('the keys of personal data cannot be read');
  expect([keys.alarms, keys.keys.hasLost()]).toEqual([[], false]);
  await keys.close();
});

test('what was stored for somebody who was erased already, and what is not ours, is not lost', async () => {
  const keys = instance();
  await keys.keys.destroy(accountPerson('GONE'));
  const gone = await sealedOf(keys, 'GONE');
  await lose(keys, accountPerson('GONE'));
  const foreign = { stream: 'x-1', type: 'NotOurs', data: { personal: { key: 'a b', sealed: 'c' } } };
  expect((await keys.data.decrypt([gone, foreign])).map(({ personal }) => personal)).toEqual([
    'erased',
    'erased',
  ]);
  expect(keys.alarms).toEqual([]);
  await keys.close();
});

test('TR-03: erasing without the keys of persons does not compile', () => {
  const needs = {} as Omit<Parameters<typeof makeEraseUser>[0], 'persons'>;
  // @ts-expect-error persons is missing
  expect(makeEraseUser(needs)).toBeTypeOf('function');
  // @ts-expect-error persons is missing
  expect(makeEraseProfile(needs)).toBeTypeOf('function');
});
