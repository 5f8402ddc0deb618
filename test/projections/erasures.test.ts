import { afterAll, afterEach, beforeEach, expect, test } from 'vitest';
import { quietLogger } from '../support/quiet-logger.ts';
import { testReadModels } from '../support/log/read-models.ts';
import { scriptedLog, startTestProjector, type ScriptedLog } from '../support/log/test-projector.ts';
import { account, profile, reservation, tell, told } from './follow/a-story.ts';

let log: ScriptedLog;

const side = await testReadModels();
beforeEach(() => {
  log = scriptedLog();
});
afterEach(async () => {
  await side.pool.query(
    'drop schema if exists public_lists_v1 cascade; drop schema if exists public_accounts_v3 cascade; truncate projection_versions, subject_keys',
  );
  await side.clear();
});
afterAll(() => side.close());

const project = async () => {
  const projector = startTestProjector({ databaseUrl: side.database.url, log, logger: quietLogger() });
  await projector.caughtUp;
  await projector.stop();
};
const accountErased = told('account-U1', 'AccountErased', {});
const profileErased = told('profile-O1.P1', 'ProfileErased', { organizationId: 'O1', id: 'P1', version: 1 });
const booked = (id: string, profileId = 'P1') => {
  const { stream, event } = reservation(id, profileId);
  return { stream, event: { ...event, data: { ...event.data, title: 'Jo swims', note: 'Jo alone' } } };
};
const people = () => tell(log, account('U1'), profile('P1'), booked('R1'), profile('P2'));

/** What is kept of them there. */
const kept = async (accounts: string, lists: string) => {
  const names = `
    select name as text from ${accounts}.accounts where user_id = 'U1'
    union all select email from ${accounts}.accounts where user_id = 'U1'
    union all select item ->> 'name' from ${lists}.profiles where id = 'P1'
    union all select item ->> 'email' from ${lists}.profiles where id = 'P1'
    union all select item ->> 'title' from ${lists}.reservations where id like 'R%'
    union all select item ->> 'note' from ${lists}.reservations where id like 'R%'`;
  return (await side.pool.query<{ text: string }>(names)).rows.map(({ text }) => text);
};
const nothing = Array<string>(6).fill('erased');

test('a person is forgotten although the key is parked', async () => {
  people();
  await project();
  expect(await kept('public', 'public')).not.toContain('erased');
  await side.pool.query(
    `insert into parked_events (checkpoint, projection, stream, revision, event_id, type, commit_position, prepare_position)
     values ('read-models', 'accounts', 'account-U1', 1, gen_random_uuid(), 'AccountDisabled', 5, 5),
            ('read-models', 'lists', 'profile-O1.P1', 1, gen_random_uuid(), 'ProfileRecorded', 5, 5)`,
  );
  tell(log, accountErased, profileErased);
  await project();
  expect(await kept('public', 'public')).toEqual(nothing);
  const { rows } = await side.pool.query<{ subject: string }>(
    'select subject from subject_keys where erased_at is not null order by 1',
  );
  expect(rows.map(({ subject }) => subject)).toEqual(['account:U1', 'profile:O1.P1']);
});

test.each([accountErased, profileErased])(
  'FX-58: an erasure removes answers that were prepared',
  async (erased) => {
    people();
    await side.pool.query(
      `insert into prepared_answers (id, asked_by, holder, held_until, expires_at) values ('a', 'U2', gen_random_uuid(), 1, 1)`,
    );
    await project();
    expect((await side.pool.query('select from prepared_answers')).rows).toHaveLength(1);
    tell(log, erased);
    await project();
    expect((await side.pool.query('select from prepared_answers')).rows).toEqual([]);
  },
);

test('a person is forgotten in versions of the read models that are kept next to those in use', async () => {
  people();
  await project();
  for (const [schema, ...tables] of [
    ['public_accounts_v3', 'accounts'],
    ['public_lists_v1', 'profiles', 'reservations', 'access_rights', 'lists', 'list_blocks'],
  ] as const) {
    await side.pool.query(`create schema ${schema}`);
    for (const table of tables)
      await side.pool.query(
        `create table ${schema}.${table} (like public.${table} including all);
         insert into ${schema}.${table} select * from public.${table}`,
      );
  }
  await side.pool.query(
    `insert into projection_versions (name, version, schema, state, started_at)
     values ('lists', 1, 'public_lists_v1', 'old', 0), ('lists', 2, 'public', 'live', 0), ('accounts', 3, 'public_accounts_v3', 'building', 0)`,
  );
  expect(await kept('public_accounts_v3', 'public_lists_v1')).not.toContain('erased');
  tell(log, accountErased, profileErased, profile('P3'));
  await project();
  expect(await kept('public_accounts_v3', 'public_lists_v1')).toEqual(nothing);
  expect(await kept('public', 'public')).toEqual(nothing);
  const { rows } = await side.pool.query<{ names: string }>(
    `select string_agg(id, ' ' order by id) as names from profiles where item ->> 'name' <> 'erased'
     union all select string_agg(id, ' ' order by id) from public_lists_v1.profiles where item ->> 'name' <> 'erased'`,
  );
  expect(rows.map(({ names }) => names)).toEqual(['P2 P3', 'P2']);
});

test('what was stored of a forgotten person with a key that an instance remembered is not kept in clear', async () => {
  people();
  tell(log, profileErased);
  await project();
  tell(log, booked('R1'), booked('R2'), booked('X3', 'P2'));
  await project();
  expect((await kept('public', 'public')).slice(2)).toEqual([...nothing.slice(2), 'erased', 'erased']);
  const { rows } = await side.pool.query<{ title: string; resource: string }>(
    `select item ->> 'title' as title, item ->> 'resource' as resource from reservations where id in ('R2', 'X3') order by id`,
  );
  expect(rows).toEqual([
    { title: 'erased', resource: 'court 1' },
    { title: 'Jo swims', resource: 'court 1' },
  ]);
});
