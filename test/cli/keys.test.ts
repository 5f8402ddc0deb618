import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { composeService } from '../../src/compose/service.ts';
import { readConfig } from '../../src/config/config.ts';
import { startService } from '../../src/process/service.ts';
import { CannotStart } from '../../src/process/start-checks.ts';
import { migratedDatabase } from '../support/servers/databases.ts';
import { startTestServers } from '../support/test-servers.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { valueOf } from '../support/outcomes.ts';
import { accountStream } from '../../src/domain/streams.ts';
import { runBeside } from './live-service.ts';
import { watchedLogger } from '../support/trouble/watched-lines.ts';
import { expectTrouble } from '../support/trouble/expect-trouble.ts';

const master = (id: string) => `${id}:${randomBytes(32).toString('base64url')}`;
const [m1, m2] = [master('m1'), master('m2')];
const tokenKeys = master('k1');
const silent = watchedLogger();
const folder = temporaryFolder();
const backup = join(folder, 'keys.ndjson');

const ada = { email: 'ada@engines.example', name: 'Ada Lovelace', password: 'difference engine' };
const charlotte = { email: 'charlotte@haworth.example', name: 'Charlotte', password: 'wuthering heights' };

const people = { ada: '', charlotte: '' };

const environment = (url: string, personal = m1) => ({
  NODE_ENV: 'test',
  LOG_LEVEL: 'silent',
  DATA_DIR: folder,
  EVENTSTORE_URL: node.url,
  DATABASE_URL: url,
  TOKEN_KEYS: tokenKeys,
  PERSONAL_DATA_KEYS: personal,
});
const grantbook = (args: readonly string[], url: string, personal?: string) =>
  runBeside(environment(url, personal), ['keys', ...args, '--json']);

const withCore = async <T>(
  url: string,
  personal: string,
  use: (core: Awaited<ReturnType<typeof composeService>>) => Promise<T>,
) => {
  const servers = { databaseUrl: url, eventStoreUrl: node.url };
  const core = await composeService(readConfig(environment(url, personal)), servers, silent);
  try {
    return await use(core);
  } finally {
    await core.close();
  }
};
const nameOf = (url: string, personal: string, userId: string) =>
  withCore(url, personal, async ({ store }) => {
    const [created] = (await store.read(accountStream(userId))).events;
    return (created?.event.data as { readonly name?: string } | undefined)?.name;
  });

const { node, database } = await startTestServers();
const emptied = await migratedDatabase();
afterAll(() => emptied.drop());
await withCore(database.url, m1, async ({ commands }) => {
  const make = async (person: typeof ada) =>
    valueOf(await commands.createUser({ ...person, administratorOf: [], roles: [] })).userId;
  Object.assign(people, { ada: await make(ada), charlotte: await make(charlotte) });
});

describe('grantbook keys backup and restore', () => {
  test('OP-01: a backup may be made again and again: the file is replaced by a whole one, of its owner alone', async () => {
    const hourly = join(folder, 'hourly.ndjson');
    await grantbook(['backup', '-o', hourly], database.url);
    const before = statSync(hourly).ino;
    const again = await grantbook(['backup', '-o', hourly], database.url);
    expect([again.exitCode, again.json]).toEqual([0, { file: hourly, keys: 3, replaced: true }]);
    expect(statSync(hourly).ino).not.toBe(before); // another file in its place: nobody reads a half
    expect(statSync(hourly).mode & 0o777).toBe(0o600);
    expect(readFileSync(hourly, 'utf8')).toMatch(/\{"keys":3,"sha256":"[0-9a-f]{64}"\}\n$/);
  });

  test('OP-01: a backup that holds keys which the database has lost is not replaced by one without them', async () => {
    const hourly = join(folder, 'before-a-restore.ndjson');
    await grantbook(['backup', '-o', hourly], database.url);
    const kept = readFileSync(hourly, 'utf8');
    const older = await migratedDatabase();
    try {
      const refused = await grantbook(['backup', '-o', hourly], older.url);
      expect([refused.exitCode, refused.json]).toMatchObject([1, { error: { code: 'keys-missing' } }]);
      expect(readFileSync(hourly, 'utf8')).toBe(kept);
    } finally {
      await older.drop();
    }
  });

  test('a backup holds every key, wrapped, in a file of its owner alone, and overwrites nothing but an earlier one', async () => {
    const made = await grantbook(['backup', '-o', backup], database.url);
    expect([made.exitCode, made.json]).toEqual([0, { file: backup, keys: 3, replaced: false }]); // two persons, and the digests
    expect(statSync(backup).mode & 0o777).toBe(0o600);
    const text = readFileSync(backup, 'utf8');
    expect(text).toContain(`account:${people.ada}`);
    expect(text).toMatch(/"subject":"emails"[^]*\{"keys":3,"sha256":"[0-9a-f]{64}"\}\n$/);

    const other = join(folder, 'other.txt');
    writeFileSync(other, 'hello\n');
    const refused = await grantbook(['backup', '-o', other], database.url);
    expect([refused.exitCode, refused.json]).toMatchObject([1, { error: { code: 'file-exists' } }]);
    expect(readFileSync(other, 'utf8')).toBe('hello\n');
    const nowhere = await grantbook(['backup', '-o', join(folder, 'no', 'where')], database.url);
    expect([nowhere.exitCode, nowhere.json]).toMatchObject([1, { error: { code: 'not-written' } }]);
    expect(readdirSync(folder).filter((name) => name.includes('partial'))).toEqual([]);
  });

  test('a file that is cut or damaged anywhere, and one of another master key, change nothing', async () => {
    const whole = readFileSync(backup);
    const lines = whole.toString('utf8').split('\n').slice(0, -1);
    const without = (index: number) => lines.filter((_line, at) => at !== index).join('\n') + '\n';
    const flipped = lines.map((line) => {
      const at = whole.indexOf(line) + Math.floor(line.length / 2);
      const damaged = Buffer.from(whole);
      damaged[at] = (damaged[at] ?? 0) ^ 1;
      return damaged;
    });
    const bad = join(folder, 'bad.ndjson');
    const cuts = [0, 1, whole.length >> 1, whole.length - 1].map((length) => whole.subarray(0, length));
    for (const damaged of [
      ...cuts,
      ...flipped,
      ...lines.map((_line, index) => without(index)),
      Buffer.concat([whole, whole]),
      'no json at all\n',
    ]) {
      writeFileSync(bad, damaged);
      const { exitCode, json } = await grantbook(['restore', bad], emptied.url);
      expect([exitCode, json]).toMatchObject([
        1,
        { error: { code: expect.stringMatching(/^(file-damaged|master-key-missing)$/) as string } },
      ]);
    }
    const foreign = await grantbook(['restore', backup], emptied.url, m2);
    expect([foreign.exitCode, foreign.json]).toMatchObject([1, { error: { code: 'master-key-missing' } }]);
    expect(foreign.stdout).toContain('PERSONAL_DATA_KEYS has no key m1');
    const missing = await grantbook(['restore', join(folder, 'none')], emptied.url);
    expect([missing.exitCode, missing.json]).toMatchObject([1, { error: { code: 'not-read' } }]);
    expect((await grantbook(['list'], emptied.url)).json).toMatchObject({ personal_data_keys: [] });
  });

  test('once the tables are lost persons are read again, and whoever was erased since is not', async () => {
    expectTrouble(/key lost: the key of a person is missing/);
    await withCore(database.url, m1, async ({ commands }) =>
      valueOf(await commands.eraseUser(people.charlotte)),
    );
    expect(await nameOf(emptied.url, m1, people.ada)).toBe('key lost');

    const restored = await grantbook(['restore', backup], emptied.url);
    expect([restored.exitCode, restored.json]).toMatchObject([
      0,
      { added: 2, erased: 1, present: 0, replaced: 0 },
    ]);
    expect(await nameOf(emptied.url, m1, people.ada)).toBe(ada.name);
    expect(await nameOf(emptied.url, m1, people.charlotte)).toBe('erased');
    await withCore(emptied.url, m1, async ({ commands }) => {
      expect((await commands.signIn({ ...ada, from: null })).ok).toBe(true);
    });
    const again = await grantbook(['restore', backup], emptied.url);
    expect(again.json).toMatchObject({ added: 0, erased: 1, present: 2 });
  });

  test('a key that a person was given meanwhile stays, and it is said what that means', async () => {
    const other = await migratedDatabase();
    await withCore(other.url, m1, ({ personal }) => personal.keys.of('emails'));
    const { json } = await grantbook(['restore', backup], other.url);
    expect(json).toMatchObject({ added: 1, replaced: 1, emails_replaced: true });
    await other.drop();
  });
});

describe('a new master key', () => {
  test('wraps every key by keys rewrap, begun again changes nothing, and lets the old one go', async () => {
    const both = `${m2},${m1}`;
    const count = async (personal: string) =>
      (await grantbook(['list'], emptied.url, personal)).json['personal_data_keys'];
    expect(await count(both)).toEqual([{ id: 'm1', keys: 2, current: false }]);
    const early = await grantbook(['rewrap'], emptied.url, m2);
    expect([early.exitCode, early.json]).toMatchObject([1, { error: { code: 'master-key-missing' } }]);

    const done = await grantbook(['rewrap'], emptied.url, both);
    expect(done.json).toEqual({ rewrapped: 2, personal_data_keys: [{ id: 'm2', keys: 2, current: true }] });
    expect((await grantbook(['rewrap'], emptied.url, both)).json).toMatchObject({ rewrapped: 0 });
    expect(await nameOf(emptied.url, m2, people.ada)).toBe(ada.name);
    expect(await nameOf(emptied.url, m2, people.charlotte)).toBe('erased');
  });

  test('a service whose PERSONAL_DATA_KEYS does not open what is stored does not start, and names it', async () => {
    const start = startService(
      readConfig({ ...environment(emptied.url, m1), PORT: '0' }),
      silent,
      new AbortController().signal,
    );
    await expect(start).rejects.toThrow(CannotStart);
    await expect(start).rejects.toThrow('PERSONAL_DATA_KEYS has no key m2');
  });
});
