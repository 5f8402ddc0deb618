import { createHash, randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { PlacedEvent } from '../../src/audit/export/write-export.ts';
import { positionText } from '../../src/audit/timeline/position-text.ts';
import { composeService, type ServiceCore } from '../../src/compose/service.ts';
import { startLogWorkers, type LogWorkers } from '../../src/compose/log-workers.ts';
import { composeRebuilds } from '../../src/compose/command-line.ts';
import { readConfig } from '../../src/config/config.ts';
import { personalFieldsOf } from '../../src/domain/events.ts';
import { accountStream, emailStream, profileStream } from '../../src/domain/streams.ts';
import type { Position } from '../../src/eventstore/event-store.ts';
import { publishedTypes } from '../../src/kafka/contract/decisions.ts';
import { exportedBy, newKey, verify } from '../audit/exports.ts';
import { migratedDatabase, type TestDatabase } from '../support/servers/databases.ts';
import { refusalOf, valueOf } from '../support/outcomes.ts';
import { startTestNode, type TestNode } from '../support/servers/node.ts';
import { settled } from '../support/settled.ts';
import { dumpTables } from '../support/log/read-models.ts';
import { projectAll } from '../support/log/test-projector.ts';
import { documentedStep, tracesInPages } from './page-traces.ts';
import { watchedLogger } from '../support/trouble/watched-lines.ts';

const ada = {
  email: 'Ada.Lovelace@engines.example',
  name: 'Ada Augusta Lovelace',
  password: 'difference engine',
};
const member = {
  name: 'Charlotte Bronteburg',
  email: 'charlotte@haworth.example',
  phone: '+44 1535 642323',
  locale: 'cy-fonipa',
  externalId: 'member-bronteburg-77',
};
const booking = { title: 'Charlotte reads aloud', note: 'needs a ramp for Bronteburg' };
const tokenName = "Ada Lovelace's calculating script";

/** What nobody may find, in every shape that it may have been given. */
const traces = [
  ada.email,
  ada.email.toLowerCase(),
  ada.name,
  tokenName,
  ...Object.values(member),
  ...Object.values(booking),
].flatMap((text) => [
  text,
  Buffer.from(text).toString('hex'),
  Buffer.from(text).toString('base64').replace(/=*$/, ''),
  Buffer.from(text).toString('base64url'),
  createHash('sha256').update(text).digest('hex'),
  createHash('sha256').update(text).digest('base64url'),
]);
const tracesIn = (text: string): readonly string[] => traces.filter((trace) => text.includes(trace));

const outcomeOf = (outcome: Parameters<typeof refusalOf>[0]): string => refusalOf(outcome) ?? 'done';

const signer = await newKey();

describe('after two people were erased', () => {
  let node: TestNode;
  let database: TestDatabase;
  let core: ServiceCore;
  let workers: LogWorkers;
  let pool: pg.Pool;
  let erasedUser: object;
  const lines: string[] = [];
  const before: { head: Position | null; exported: readonly string[] } = { head: null, exported: [] };
  /** The keys as they were stored: with the master key they open what is encrypted in the log. */
  const keys: Buffer[] = [];
  const people = { userId: '', organizationId: '', cookie: '', token: '', before: '' };

  /** Of everything that concerns the organization up to here. */
  const exported = async (until: Position | null) => {
    if (!until) throw new Error('the log is empty');
    const events: PlacedEvent[] = [];
    const signal = new AbortController().signal;
    const { organizationId } = people;
    for await (const event of core.audit.organizationEvents(organizationId, { until, signal }))
      events.push({ event });
    return exportedBy(signer, [], {
      about: {
        organization: organizationId,
        from: null,
        until: positionText(until),
        exportedBy: 'break-glass',
      },
      events: Readable.from(events),
      open: async (some) =>
        (await core.personal.data.decrypt(some)).map(({ personal, fields }) =>
          personal === 'none' ? null : { personal, fields },
        ),
    });
  };
  const leavesOf = (lines: readonly string[]) =>
    lines.slice(0, -1).map((line) => (JSON.parse(line) as { readonly leaf: string }).leaf);
  const readAll = async () => {
    const events: object[] = [];
    for await (const { stream, data, metadata, type } of core.store.readLog({
      after: null,
      signal: new AbortController().signal,
    }))
      events.push({ stream, type, data, metadata });
    return events.map((event) => JSON.stringify(event));
  };
  const tables = async () => {
    const { rows } = await pool.query<{ name: string }>(
      `select quote_ident(schemaname) || '.' || quote_ident(tablename) as name from pg_tables
       where schemaname not in ('pg_catalog', 'information_schema')`,
    );
    const contents = await Promise.all(
      rows.map(
        async ({ name }) =>
          (await pool.query<{ row: string }>(`select t::text as row from ${name} as t`)).rows,
      ),
    );
    return contents
      .flat()
      .map(({ row }) => row)
      .join('\n');
  };
  beforeAll(async () => {
    node = await startTestNode();
    database = await migratedDatabase();
    pool = new pg.Pool({ connectionString: database.url, max: 2 });
    const key = () => `k1:${randomBytes(32).toString('base64url')}`;
    const config = readConfig({
      NODE_ENV: 'test',
      LOG_LEVEL: 'trace',
      TOKEN_KEYS: key(),
      PERSONAL_DATA_KEYS: key(),
    });
    const logger = watchedLogger((line) => void lines.push(line), 'trace');
    core = await composeService(config, { databaseUrl: database.url, eventStoreUrl: node.url }, logger);
    workers = startLogWorkers(core);
    await workers.ready;
    const { commands } = core;
    const { organizationId } = valueOf(await commands.createOrganization({ name: 'Engines' }));
    const { userId } = valueOf(
      await commands.createUser({ ...ada, administratorOf: [organizationId], roles: [] }),
    );
    const { cookie } = valueOf(
      await commands.signIn({ email: ada.email, password: ada.password, from: null }),
    );
    const issued = valueOf(
      await commands.issueAdministratorToken({
        userId,
        name: tokenName,
        days: 1,
        organizationId,
        by: userId,
      }),
    );
    const profile = { organizationId, id: 'P1', version: 1, record: { ...member, userId } };
    valueOf(await commands.recordProfile(profile));
    valueOf(
      await commands.recordReservation({
        organizationId,
        id: 'R1',
        version: 1,
        record: {
          profileId: 'P1',
          resource: 'Berth 7',
          startsAt: '2026-01-01T00:00:00Z',
          endsAt: '2026-01-02T00:00:00Z',
          status: 'confirmed',
          ...booking,
        },
      }),
    );
    await settled(core.store, database.url);
    if (!(await tables()).includes(member.name)) throw new Error('what is looked for could not be found');
    // What is swapped out keeps its rows.
    const rebuilds = composeRebuilds({ ...core, databaseUrl: database.url, commands, logger });
    for (const name of ['accounts', 'lists']) {
      await rebuilds.rebuild({ name }, new AbortController().signal);
      await rebuilds.swap({ name, unverified: true }, new AbortController().signal);
    }
    Object.assign(people, { userId, organizationId, cookie, token: issued.token });
    people.before = (await readAll()).join('\n');
    before.head = await core.store.head();
    before.exported = await exported(before.head);
    await pool.query('analyze'); // a sample of the values, as autovacuum takes it
    const { rows } = await pool.query<{ key: Buffer }>(
      'select wrapped_key as key from subject_keys where subject = any($1)',
      [[`account:${userId}`, `profile:${organizationId}.P1`]],
    );
    keys.push(...rows.map(({ key }) => key));
    erasedUser = valueOf(await commands.eraseUser(userId));
    valueOf(await commands.eraseProfile({ organizationId, id: 'P1' }));
    await settled(core.store, database.url);
  });
  afterAll(async () => {
    await workers.stop();
    await core.close();
    await pool.end();
    await node.close();
    await database.drop();
  });

  test('the answer says what was done', () => {
    expect(erasedUser).toMatchObject({ repeated: false, addressKnown: true });
  });

  test('nothing of them is in the log, in a table or in a line that was logged', async () => {
    expect(tracesIn((await readAll()).join('\n'))).toEqual([]);
    expect(tracesIn(await tables())).toEqual([]);
    expect(tracesIn(lines.join('\n'))).toEqual([]);
    expect(lines.length).toBeGreaterThan(0);
  });

  test('CL-12: after the documented step nothing of them is in free space of the pages, nor are their keys', async () => {
    expect(keys).toHaveLength(2);
    const left = await tracesInPages(pool, [...traces, ...keys]);
    expect(left).toEqual(expect.arrayContaining([ada.name, member.name, booking.title, ...keys])); // or it tells nothing
    const afterTheStep = async () => {
      for (const statement of documentedStep()) await pool.query(statement);
      return tracesInPages(pool, [...traces, ...keys]);
    };
    // Rows that a transaction of the service may still see stay until it has ended, as the document says.
    await expect.poll(afterTheStep, { interval: 500 }).toEqual([]);
  });

  test('not in what was swapped out, either: it says erased', async () => {
    const { rows } = await pool.query<{ said: string }>(
      `select name as said from public_accounts_v1.accounts
       union all select item ->> 'email' from public_lists_v1.profiles union all select item ->> 'note' from public_lists_v1.reservations`,
    );
    expect(rows.map(({ said }) => said)).toEqual(['erased', 'erased', 'erased']);
  });

  test('nor in a message that goes out to Kafka: none is made of an event with personal fields', () => {
    expect(publishedTypes.length).toBeGreaterThan(0);
    expect(publishedTypes.filter((type) => personalFieldsOf(type) !== null)).toEqual([]);
  });

  test('an export of before holds what it held and still verifies; a new one of the same events has the same leaves, and nothing of them', async () => {
    expect(tracesIn(before.exported.join(''))).toContain(member.name);
    expect(await verify(before.exported, signer.jwks)).toMatchObject({ ok: true, trusted: true });
    const again = await exported(before.head);
    expect(leavesOf(again)).toEqual(leavesOf(before.exported));
    const now = await exported(await core.store.head());
    expect(now.length).toBeGreaterThan(again.length);
    for (const lines of [again, now]) {
      expect(tracesIn(lines.join(''))).toEqual([]);
      expect(lines.filter((line) => line.includes('"personal":"erased"'))).toHaveLength(2);
      expect(await verify(lines, signer.jwks)).toMatchObject({ ok: true, trusted: true });
    }
  });

  test('what the log held before is there byte by byte: every proof over it holds', async () => {
    expect((await readAll()).join('\n').startsWith(people.before)).toBe(true);
  });

  test('whatever is read says that they were erased', async () => {
    const { rows } = await pool.query<{ email: string; name: string; disabled: boolean }>(
      'select email, name, disabled from accounts where user_id = $1',
      [people.userId],
    );
    expect(rows).toEqual([{ email: 'erased', name: 'erased', disabled: true }]);
    const items = await pool.query<{ item: object }>(
      'select item from profiles union all select item from reservations',
    );
    expect(items.rows.map(({ item }) => item)).toEqual([
      expect.objectContaining({
        id: 'P1',
        name: 'erased',
        email: 'erased',
        phone: 'erased',
        userId: people.userId,
      }),
      expect.objectContaining({ id: 'R1', title: 'erased', note: 'erased', resource: 'Berth 7' }),
    ]);
    expect((await core.store.read(accountStream(people.userId))).events[0]?.event.data).toMatchObject({
      email: 'erased',
      name: 'erased',
    });
  });

  test('AC-04: the account is dead in every way, and its address is free', async () => {
    const { commands } = core;
    expect(await commands.readSession(people.cookie)).toBeNull();
    expect(outcomeOf(await commands.readAdministratorToken(people.token))).toBe('token-revoked');
    expect(outcomeOf(await commands.signIn({ email: ada.email, password: ada.password, from: null }))).toBe(
      'wrong-credentials',
    );
    expect(outcomeOf(await commands.enableUser(people.userId))).toBe('user-erased');
    const again = valueOf(
      await commands.createUser({ ...ada, password: 'analytical engine', administratorOf: [], roles: [] }),
    );
    expect(again.userId).not.toBe(people.userId);
    expect(
      outcomeOf(await commands.signIn({ email: ada.email, password: 'analytical engine', from: null })),
    ).toBe('done');
    expect(await commands.eraseUser(people.userId)).toMatchObject({ value: { repeated: true } });
    expect(
      outcomeOf(await commands.signIn({ email: ada.email, password: 'analytical engine', from: null })),
    ).toBe('done');
    expect(await commands.eraseUser(again.userId)).toMatchObject({ ok: true });
  });

  test('LI-08: the profile takes no newer version, and may still be removed', async () => {
    const { commands } = core;
    const newer = {
      organizationId: people.organizationId,
      id: 'P1',
      version: 9,
      record: { ...member, userId: null },
    };
    expect(outcomeOf(await commands.recordProfile(newer))).toBe('record-erased');
    expect(outcomeOf(await commands.recordProfile({ ...newer, version: 10, record: null }))).toBe('done');
    expect(outcomeOf(await commands.recordProfile({ ...newer, version: 11 }))).toBe('record-erased');
    expect(outcomeOf(await commands.eraseProfile({ organizationId: people.organizationId, id: 'P2' }))).toBe(
      'profile-unknown',
    );
    expect(
      (await core.store.read(profileStream(people.organizationId, 'P1'))).events.map(
        ({ event }) => event.type,
      ),
    ).toEqual(['ProfileRecorded', 'ProfileErased', 'ProfileRemoved']);
  });

  test('a key that a backup of the database brings back is destroyed again by whoever builds the read models', async () => {
    const rebuilt = await migratedDatabase();
    const side = new pg.Pool({ connectionString: rebuilt.url, max: 1 });
    await side.query(
      `insert into subject_keys (subject, key_id, master_key_id, wrapped_key) values ($1, 'restored', 'k1', 'x')`,
      [`account:${people.userId}`],
    );
    await projectAll(rebuilt.url, core.store);
    const { rows } = await side.query<{ subject: string }>(
      'select subject from subject_keys where erased_at is not null and wrapped_key is null order by 1',
    );
    expect(rows.map(({ subject }) => subject)).toContain(`account:${people.userId}`);
    expect(rows.map(({ subject }) => subject)).toContain(`profile:${people.organizationId}.P1`);
    await side.end();
    await rebuilt.drop();
  });

  test('tables that lived through it are those that are built from the log without the keys', async () => {
    await settled(core.store, database.url);
    const rebuilt = await migratedDatabase();
    const side = new pg.Pool({ connectionString: rebuilt.url, max: 2 });
    await projectAll(rebuilt.url, core.store);
    const [live, fromZero] = [await dumpTables(pool), await dumpTables(side)];
    for (const table of ['accounts', 'profiles', 'reservations', 'lists', 'fence'])
      expect(fromZero[table]).toEqual(live[table]);
    await side.end();
    await rebuilt.drop();
  });

  test('nobody can try addresses on the names of claims', async () => {
    const digest = createHash('sha256').update(ada.email.toLowerCase()).digest('hex');
    expect((await core.store.read(emailStream(digest))).revision).toBe('no-stream');
  });
});
