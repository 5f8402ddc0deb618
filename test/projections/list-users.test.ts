import { afterAll, expect, test } from 'vitest';
import { askedWordsOf, searchWordsOf, storedWordsOf } from '../../src/domain/kernel/name.ts';
import { addressPartsOf } from '../../src/domain/people/email.ts';
import type { DomainEvent } from '../../src/domain/events.ts';
import { pageStatement } from '../../src/projections/kernel/sorted-list.ts';
import { conditionOf, userList } from '../../src/projections/people/list-users.ts';
import type { UserFilter } from '../../src/projections/read-models.ts';
import { testReadModels } from '../support/log/read-models.ts';
import { projectAll, scriptedLog } from '../support/log/test-projector.ts';
import { administrator, tell, type Told } from './follow/a-story.ts';

const side = await testReadModels();
afterAll(() => side.close());

const told = (userId: string, event: DomainEvent): Told =>
  ({ stream: `account-${userId}`, event }) as unknown as Told;
const named = (userId: string, name: string, roles: readonly ('auditor' | 'operator')[] = []): Told =>
  told(userId, {
    type: 'AccountCreated',
    data: {
      emailVouchedBy: 'operator',
      userId,
      email: `${userId.toLowerCase()}@example.com`,
      name,
      roles,
      at: 1,
    },
  });

const found = async (filter: UserFilter, after: string | null = null, limit = 100) =>
  (await side.readModels.users(filter, { after, limit })).rows.map(({ id }) => id);

test('AM-11, AM-14: users are found by starts of words, by organization and by role', async () => {
  const log = scriptedLog();
  tell(
    log,
    named('U1', 'Ada Lovelace'),
    named('U2', 'Émile Zola-Rougon', ['auditor']),
    named('U3', 'Жанна Агузарова', ['operator', 'auditor']),
    named('U4', "Robert'); drop table accounts;-- O'Brien"),
    named('U5', 'Lovis Straße'),
    named('U6', '山田太郎'),
    administrator('O1', 'U1'),
    administrator('O1', 'U2'),
    administrator('O1', 'U2', false),
    told('U5', { type: 'AccountRenamed', data: { name: 'Ada Straße', at: 2 } }),
    told('U5', {
      type: 'AccountEmailChanged',
      data: { emailVouchedBy: 'operator', email: 'ada@example.org', at: 2 },
    }),
    told('U6', { type: 'RoleGranted', data: { role: 'operator', source: 'claim', at: 2 } }),
    told('U3', { type: 'RoleRemoved', data: { role: 'operator', source: 'manual', at: 2 } }),
  );
  await projectAll(side.database.url, log);
  expect(await found({ search: 'ADA' })).toEqual(['U1', 'U5']);
  expect(await found({ search: 'lov' })).toEqual(['U1']);
  expect(await found({ search: 'lov ad' })).toEqual(['U1']);
  expect(await found({ search: 'ovelace' })).toEqual([]);
  expect(await found({ search: 'EMILE rou' })).toEqual(['U2']);
  expect(await found({ search: 'жан' })).toEqual(['U3']);
  expect(await found({ search: "o'br" })).toEqual(['U4']);
  expect(await found({ search: 'STRAß' })).toEqual(['U5']);
  expect(await found({ search: '山田' })).toEqual(['U6']);
  for (const hostile of ["'", '\\', "a':* | 'b", '-', '()&!|<->', '%', '*', '\u0000a'.slice(0, 0) || '—'])
    expect(await found({ search: hostile })).not.toContain('U6');
  expect(await found({ search: ' Ada@Example.ORG' })).toEqual(['U5']);
  expect(await found({ search: 'u5@example.com' })).toEqual([]);
  expect(await found({ search: 'ada@example' })).toEqual(['U5']);
  expect(await found({ organizationId: 'O1' })).toEqual(['U1']);
  expect(await found({ role: 'administrator' })).toEqual(['U1']);
  expect(await found({ role: 'operator' })).toEqual(['U6']);
  expect(await found({ role: 'auditor', search: 'emile' })).toEqual(['U2']);
  expect(await found({}, null, 2)).toEqual(['U1', 'U2']);
  expect(await found({}, 'U2', 2)).toEqual(['U3', 'U4']);
  expect(await found({ search: 'ada' }, 'U1')).toEqual(['U5']);
  await side.clear();
});

test('the words of a name are found again in whatever case and with whatever accents it is typed', () => {
  expect(searchWordsOf('  Zoë  O’Neill-Ångström ')).toEqual(['zoe', 'o', 'neill', 'angstrom']);
  expect(searchWordsOf('İstanbul ISTANBUL istanbul')).toEqual(['istanbul', 'istanbul', 'istanbul']);
  expect(searchWordsOf('!!! --- …')).toEqual([]);
  expect(storedWordsOf('Jörg Müller-Weiß')).toEqual(['jorg', 'muller', 'weiss', '!', 'joerg', 'mueller']);
  expect(storedWordsOf('Mu\u0308ller')).toEqual(storedWordsOf('Müller'));
  expect(askedWordsOf('MÜL ada')).toEqual([['mul', 'muel'], ['ada']]);
});

test('FX-66, FX-99: people are found by a name as it is typed, and by parts of an address that is theirs', async () => {
  const log = scriptedLog();
  const withAddress = (userId: string, name: string, email: string, by: 'operator' | 'nobody') =>
    told(userId, {
      type: 'AccountCreated',
      data: { emailVouchedBy: by, userId, email, name, roles: [], at: 1 },
    });
  tell(
    log,
    withAddress('U1', 'Jörg Müller', 'j.mueller@harbour.example', 'operator'),
    withAddress('U2', 'Ada Weiß', "ada.o'neill@pier-nine.example", 'operator'),
    withAddress('U3', 'Mallory', 'j.mueller@harbour.example', 'nobody'),
    withAddress('U4', 'Muller', 'old@harbour.example', 'operator'),
    told('U4', {
      type: 'AccountEmailChanged',
      data: { emailVouchedBy: 'operator', email: 'new@pier.example', at: 2 },
    }),
  );
  await projectAll(side.database.url, log);
  for (const search of ['mueller', 'MÜLL', 'jörg müller', 'joerg muller', 'mu\u0308ller'])
    expect([search, await found({ search })]).toEqual([search, expect.arrayContaining(['U1'])]);
  expect(await found({ search: 'muller' })).toEqual(['U1', 'U4']);
  expect(await found({ search: 'weiss' })).toEqual(['U2']);

  const parts = [
    'j.mue',
    'j.mueller@harbour.example',
    'mueller@harb',
    '@harbour',
    'harbour.exa',
    'J.Mueller jörg',
  ];
  for (const search of parts) expect([search, await found({ search })]).toEqual([search, ['U1']]);
  expect(await found({ search: "o'neill@pier" })).toEqual(['U2']);
  expect(await found({ search: 'nine.example' })).toEqual(['U2']);
  expect(await found({ search: 'pier' })).toEqual(['U2', 'U4']);
  for (const search of ['old@harbour.example', 'arbour', 'example', '@pier-nine.exampl\\', "'"])
    expect([search, await found({ search })]).toEqual([search, []]);
  expect(await found({ search: 'mallory' })).toEqual(['U3']);
  await side.clear();
});

test('FX-66: an address has no more parts than can be stored, its domain among them', () => {
  expect(addressPartsOf('ada.lovelace@harbour.example')).toEqual([
    'ada.lovelace@harbour.example',
    '@harbour.example',
    'harbour.example',
    'lovelace@harbour.example',
  ]);
  const longest = `${'a.'.repeat(120)}a@b.example`;
  expect(addressPartsOf(longest)).toHaveLength(16);
  expect(addressPartsOf(longest)).toContain('b.example');
});

test('FX-99: the spellings of a name do not change its place in a list', async () => {
  const log = scriptedLog();
  tell(
    log,
    named('U1', 'Müller Anna'),
    named('U2', 'Müller'),
    named('U3', 'Mulot'),
    named('U4', 'Joel'),
    named('U5', 'John'),
  );
  await projectAll(side.database.url, log);
  const { rows } = await side.readModels.users({}, { after: null, limit: 9, sort: 'name' });
  expect(rows.map(({ id }) => id)).toEqual(['U4', 'U5', 'U2', 'U1', 'U3']);
  await side.clear();
});

test('AM-14: among 100,000 users a search uses an index', async () => {
  await side.pool.query(`
    insert into accounts (user_id, email, name, roles, created_at, name_words, address_words, email_verified, updated_at)
    select 'U' || n, 'user' || n || '@example.com', 'First' || n || ' Last' || n,
           case when n % 10000 = 0 then '["operator"]' else '[]' end::jsonb, 1,
           array['first' || n, 'last' || n], array['user' || n || '@example.com', '@example.com'], true, 1
    from generate_series(1, 100000) as n`);
  await side.pool.query('analyze accounts');
  const planOf = async (filter: UserFilter) => {
    const { where, values } = conditionOf(filter);
    const { rows } = await side.pool.query<{ readonly 'QUERY PLAN': string }>(
      `explain ${pageStatement(userList, where)}`,
      ['', 50, ...values],
    );
    return rows.map((row) => row['QUERY PLAN']).join('\n');
  };
  expect(await planOf({ search: 'last77777' })).toMatch(/accounts_by_words/);
  expect(await planOf({ search: 'user5@example.com' })).toMatch(/accounts_by_words/);
  expect(await planOf({ search: '01JD3F8Q5T0C4V7W9XYZ1A2B3C' })).toMatch(/accounts_pkey/);
  expect(await planOf({ role: 'operator' })).toMatch(/accounts_with_roles/);
  for (const filter of [
    {},
    { search: 'last77777' },
    { search: 'user5@example.com' },
    { role: 'operator' },
  ] as const)
    expect(await planOf(filter)).not.toMatch(/Seq Scan on accounts/);
  expect(await found({ search: 'last777' }, null, 1_000)).toHaveLength(111);
});
