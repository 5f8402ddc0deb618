import { chmodSync } from 'node:fs';
import { createServer as createHttp } from 'node:http';
import { createServer as createSilent } from 'node:net';
import { createServer as createTls } from 'node:tls';
import { afterAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import pg from 'pg';
import { judgeCertificate, certificateChecks } from '../../src/cli/doctor/certificates.ts';
import { judgeClock } from '../../src/cli/doctor/database.ts';
import { isAtLeast, checkAll, type Finding } from '../../src/cli/doctor/finding.ts';
import { judgeMasterKey, judgeSigningKey, judgeTokenKey } from '../../src/cli/doctor/keys.ts';
import { judgeVersion } from '../../src/cli/doctor/event-store.ts';
import { judgeHead, judgeLag } from '../../src/cli/doctor/log.ts';
import { checkDisk, checkNode } from '../../src/cli/doctor/machine.ts';
import { readConfig } from '../../src/config/config.ts';
import { attachEmbedded } from '../../src/embedded/start-embedded.ts';
import { runBeside } from '../cli/live-service.ts';
import { eventually } from '../support/eventually.ts';
import { makeCertificates } from '../support/servers/certificates.ts';
import { freshDatabase, migratedDatabase } from '../support/servers/databases.ts';
import { endInstance, readyInstance, spawnInstance } from '../support/servers/instance.ts';
import { startTestNode } from '../support/servers/node.ts';
import { startTestServers } from '../support/test-servers.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { makeAddon, makeCast, run, settingsFor } from './running.ts';
import { query } from '../support/query.ts';
import { listening } from '../support/servers/serve.ts';
import { expectTrouble } from '../support/trouble/expect-trouble.ts';

const now = Date.parse('2026-08-01T00:00:00Z');
const day = 86_400_000;
const { query: realQuery } = pg.Client.prototype as unknown as { query: (this: pg.Client) => unknown };

describe('on real servers', async () => {
  const { database, stores } = await startTestServers();
  // Nobody listens there: the instance is in this process.
  const env: Readonly<Record<string, string>> = { ...settingsFor(stores), PORT: '1' };
  const running = await run(stores);
  afterAll(() => running.stop());
  await running.workers.ready;
  await makeAddon(running.core, await makeCast(running.core));
  const makeSigningKeys = async () =>
    expect((await running.app.inject({ url: '/oauth/jwks' })).statusCode).toBe(200);
  await eventually(makeSigningKeys);

  const examine = async (change: Readonly<Record<string, string>> = {}) => {
    const ran = await runBeside({ ...env, ...change }, ['doctor', '--json']);
    const { findings, failures } = ran.json as { findings: readonly Finding[]; failures: number };
    const stateOf = (check: string) => findings.find((finding) => finding.check === check)?.state;
    const adviceOn = (check: string) => findings.find((finding) => finding.check === check)?.advice;
    return { ...ran, findings, failures, stateOf, adviceOn };
  };

  test('where all is well it says so of each part, and exits with 0', async () => {
    // On a busy machine, the worker of a read model lets go of its lock now and then.
    const findings = await eventually(async () => {
      const { findings: found, failures, exitCode } = await examine();
      expect(found.filter(({ state }) => state === 'failure')).toEqual([]);
      expect([failures, exitCode]).toEqual([0, 0]);
      return found;
    });
    const looked = [
      'settings',
      'node',
      'open files',
      'database',
      'clock of the database',
      'writes of the event store',
      'writes of the database',
      'migrations',
      'event store',
      'account at the event store',
      'log and database',
      'clock of the event store',
      'lag of read-models',
      'lag of revoke-on-deactivation',
      'lag of signals',
      'lag of timelines',
      'signed head of the log',
      'leader of read-models',
      'leader of revoke-on-deactivation',
      'signing key ES256',
      'token key',
      'signing key RS256',
      'keys of persons',
      'parked events',
      'events passed over',
      'kafka',
      'service',
    ];
    expect(findings.map(({ check }) => check)).toEqual(expect.arrayContaining(looked)); // and leaders of other workers
    expect(findings.filter(({ check }) => check.startsWith('master key'))).toMatchObject([
      { state: 'ok', found: expect.stringMatching(/^encrypts \d+ keys? of persons/) },
    ]);
    for (const { state, advice } of findings) expect(advice === null).toBe(state === 'ok');
  });

  test('with the event store away the rest is looked at all the same, its trouble is reported once, and no secret is said', async () => {
    const { findings, stateOf, adviceOn, exitCode, stdout } = await examine({
      EVENTSTORE_URL: 'esdb://user:hush-hush@127.0.0.1:1?tls=true',
    });
    expect(exitCode).toBe(1);
    const [told, ...more] = findings.filter(({ found }) => found.includes('connection refused'));
    expect(more).toEqual([]);
    expect(told).toMatchObject({ check: 'event store', state: 'failure' });
    expect(told?.found).toMatch(/therefore not checked: .*log and database, .*lag of timelines/);
    expect(adviceOn('event store')).toContain('EVENTSTORE_URL');
    expect(stateOf('log and database')).toBeUndefined();
    expect(stateOf('database')).toBe('ok');
    // Whether somebody leads at this moment is the first test's: a busy machine lets go of it now and then.
    expect(stateOf('leader of read-models')).toBeDefined();
    expect(findings.filter(({ check }) => check.startsWith('certificate of EVENTSTORE_URL'))).toEqual([]);
    expect(stdout).not.toContain('hush-hush');
    expect(stdout).not.toContain(env['TOKEN_KEYS']?.split(':')[1]);
  });

  test('with the database away, too', async () => {
    const { findings, stateOf, adviceOn, exitCode, stdout } = await examine({
      DATABASE_URL: 'postgresql://user:hush-hush@127.0.0.1:1/none',
    });
    expect(exitCode).toBe(1);
    expect([stateOf('database'), stateOf('account at the event store')]).toEqual(['failure', 'ok']);
    expect(adviceOn('database')).toContain('DATABASE_URL');
    expect(findings.filter(({ state }) => state === 'failure').map(({ check }) => check)).toEqual([
      'database',
    ]);
    expect(findings[findings.findIndex(({ check }) => check === 'database')]?.found).toMatch(/signing keys/);
    expect(stdout).not.toContain('hush-hush');
  });

  test('CL-03: a row of signing_keys that nobody with the token keys wrote is a failure, and counted', async () => {
    expectTrouble(/was not written by a holder of TOKEN_KEYS/);
    await query(
      database.url,
      `insert into signing_keys select 'forged', algorithm, public_jwk, token_key_id, sealed_private_key, created_at, current_from, macs
       from signing_keys limit 1`,
    );
    const count = async () =>
      /^grantbook_signing_keys_untrusted (\d)/m.exec(
        (await running.app.inject({ url: '/metrics' })).body,
      )?.[1];
    expect(await count()).toBe('1');
    const { findings, exitCode } = await examine();
    expect(exitCode).toBe(1);
    expect(findings.filter(({ state }) => state === 'failure')).toMatchObject([
      {
        check: 'signing key forged',
        found: expect.stringContaining('not written by a holder of TOKEN_KEYS'),
      },
    ]);
    const listed = await runBeside(env, ['keys', 'list', '--json']);
    expect(listed.json).toMatchObject({
      keys: [{ retired_at: null }, { published_until: null }],
      untrusted_keys: [{ kid: 'forged', why: 'kid-is-not-thumbprint' }],
    });
    await query(database.url, `delete from signing_keys where kid = 'forged'`);
    await expect.poll(count).toBe('0');
  });

  test('OP-11: a migration that has not run is a failure, one that a newer version added is not, one that takes away is', async () => {
    const { url } = database;
    const rename = (from: string, to: string) =>
      query(url, 'update migrations set name = $2 where name = $1', [from, to]);
    const find = async () => (await examine()).findings.find(({ check }) => check === 'migrations');
    const added = '9998-of-tomorrow.sql';
    await query(url, `insert into migrations values ($1, '')`, [added]);
    expect(await find()).toMatchObject({ state: 'warning', found: expect.stringContaining(added) });
    const takesAway = '9998-of-tomorrow.needs-9997.sql';
    await rename(added, takesAway);
    expect(await find()).toMatchObject({ state: 'failure', found: expect.stringContaining(takesAway) });
    await query(url, 'delete from migrations where name = $1', [takesAway]);
    await query(url, `delete from migrations where name = '0012-signals.sql'`);
    expect(await find()).toMatchObject({
      state: 'failure',
      found: 'not yet run: 0012-signals.sql',
      advice: expect.stringContaining('grantbook migrate'),
    });
  });

  test('DO-01: where there is a management port, readiness is asked for there', async () => {
    const management = createHttp((request, reply) => {
      reply.writeHead(request.url === '/health/ready' ? 503 : 404, { 'content-type': 'application/json' });
      reply.end(JSON.stringify({ status: 'not-ready', checks: { postgres: 'unreachable' } }));
    });
    const port = await listening(management);
    const { findings } = await examine({ MANAGEMENT_PORT: String(port), BASE_URL: 'http://127.0.0.1:1' });
    expect(findings.filter(({ check }) => check === 'service')).toMatchObject([
      { state: 'failure', found: `http://127.0.0.1:${port} says not-ready: postgres unreachable` },
    ]);
  });

  test('OP-09: with a stopped service everything else is looked at, and that it is stopped is one warning', async () => {
    const alone = await migratedDatabase();
    onTestFinished(() => alone.drop());
    const { findings, exitCode } = await examine({ DATABASE_URL: alone.url });
    const aged = ['node', 'event store'];
    const told = findings.filter(({ state, check }) => state !== 'ok' && !aged.includes(check));
    expect([exitCode, told]).toEqual([
      0,
      [
        {
          check: 'service',
          state: 'warning',
          found: 'is stopped: no answer at http://127.0.0.1:1, and no worker has a leader',
          advice: 'start it: `npm start`',
        },
      ],
    ]);
  });

  test('OP-09: without tables that is reported once, with what to do', async () => {
    const empty = await freshDatabase();
    onTestFinished(() => empty.drop());
    const { findings } = await examine({ DATABASE_URL: empty.url });
    const failures = findings.filter(({ state }) => state === 'failure');
    expect(failures).toMatchObject([
      { check: 'migrations', advice: expect.stringContaining('`grantbook migrate`') as string },
    ]);
    expect(failures[0]?.found).toMatch(/^not yet run: 0001-.*; therefore not checked: .*leaders/);
  });

  test('FX-43: an EVENTSTORE_URL that cannot work is one finding, of doctor and of every command, with exit 2', async () => {
    const wrong = { ...env, EVENTSTORE_URL: 'esdb://user:hush-hush@127.0.0.1:2113?tls=false' };
    const sentence = /EVENTSTORE_URL: got a user and a password with tls=false, .*; allowed: tls=true/;
    const ran = await runBeside(wrong, ['doctor', '--json']);
    const { findings } = ran.json as { findings: readonly Finding[] };
    expect([ran.exitCode, findings.filter(({ state }) => state === 'failure')]).toMatchObject([
      2,
      [{ check: 'settings', found: expect.stringMatching(sentence) }],
    ]);
    const listed = await runBeside(wrong, ['organization', 'list']);
    expect([listed.exitCode, listed.stderr]).toEqual([2, expect.stringMatching(sentence)]);
    expect(ran.stdout + listed.stderr).not.toContain('hush-hush');
  });

  test('FX-49: doctor queries no table that it reports as missing', async () => {
    const empty = await freshDatabase();
    onTestFinished(() => empty.drop());
    const asked: string[] = [];
    const { database } = new pg.Client({ connectionString: empty.url });
    const spied = vi.spyOn(pg.Client.prototype, 'query').mockImplementation(function (
      this: pg.Client,
      ...args
    ) {
      const [statement] = args as unknown as [string | { readonly text: string }];
      // The instance of this process continues in parallel, on its own database.
      if (this.database === database)
        asked.push(typeof statement === 'string' ? statement : (statement?.text ?? ''));
      return realQuery.apply(this, args as never) as never;
    });
    await examine({ DATABASE_URL: empty.url });
    spied.mockRestore();
    expect(asked.length).toBeGreaterThan(3);
    const tables = /\b(from|into|update) (checkpoints|parked_keys|signing_keys|subject_keys|write_probes)\b/;
    expect(asked.filter((text) => tables.test(text))).toEqual([]);
  });

  test('FX-37: a database that is newer than the program is reported as such, once', async () => {
    const newer = await migratedDatabase();
    onTestFinished(() => newer.drop());
    await query(
      newer.url,
      `insert into migrations values ('9998-later.needs-9997.sql', '');
       drop table checkpoints cascade`,
    );
    const { findings } = await examine({ DATABASE_URL: newer.url });
    expect(findings.filter(({ state }) => state === 'failure')).toMatchObject([
      {
        check: 'migrations',
        found: expect.stringMatching(/^the database is of a newer version: .*9998-later/),
      },
    ]);
  });

  test('a database that was made before version 1.0.0 is one finding, with what to do', async () => {
    const earlier = await migratedDatabase();
    onTestFinished(() => earlier.drop());
    await query(earlier.url, 'create table migration_checksums (name text primary key, sha256 text)');
    const migrated = await runBeside({ ...env, DATABASE_URL: earlier.url }, ['migrate']);
    expect([migrated.exitCode, migrated.stderr]).toEqual([
      1,
      expect.stringMatching(
        /^This version cannot use the database of DATABASE_URL, .*; use an empty database\.$/m,
      ),
    ]);
    const { findings, exitCode } = await examine({ DATABASE_URL: earlier.url });
    expect(exitCode).toBe(1);
    expect(findings.filter(({ state }) => state === 'failure')).toMatchObject([
      {
        found: expect.stringMatching(
          /^this version cannot use the database: it was made before version 1\.0\.0/,
        ),
        advice: 'use an empty database',
      },
    ]);
  });

  test('FX-37: where nobody answers but an instance leads, doctor says that MANAGEMENT_PORT may be set', async () => {
    const { adviceOn } = await examine();
    expect(adviceOn('service')).toContain('set MANAGEMENT_PORT here if the instance has one');
  });

  test('FX-37: the embedded node is recognized wherever EVENTSTORE_URL leads to it, and in production it is a failure', async () => {
    const production = { NODE_ENV: 'production', BASE_URL: 'http://127.0.0.1:1' };
    const found = async (change: Readonly<Record<string, string>>) =>
      (await examine(change)).findings.find(({ check }) => check === 'event store');
    expect(await found({})).toMatchObject({
      state: 'ok',
      found: 'the embedded node, which answers as EventStoreDB 24.10.5',
    });
    expect(await found(production)).toMatchObject({
      state: 'failure',
      found: 'is the embedded node, which is not for production',
      advice: expect.stringMatching(/^set EVENTSTORE_URL to KurrentDB/),
    });
    const forced = await startTestNode({ force: true });
    onTestFinished(() => forced.close());
    expect(await found({ ...production, EVENTSTORE_URL: forced.url })).toMatchObject({ state: 'ok' });
  });

  test('FX-46: of an unknown host there is one line, without a second one about a certificate', async () => {
    const { findings } = await examine({ EVENTSTORE_URL: 'esdb://u:hush@nobody.invalid:2113?tls=true' });
    expect(findings.filter((finding) => JSON.stringify(finding).includes('nobody.invalid'))).toMatchObject([
      { check: 'event store', found: expect.stringContaining('unknown host name') },
    ]);
  });

  test('wrong settings are findings, each by its name', async () => {
    const ran = await runBeside({ ...env, PORT: 'many' }, ['doctor', '--json']);
    expect(ran.exitCode).toBe(2);
    expect(ran.json).toMatchObject({
      findings: expect.arrayContaining([
        expect.objectContaining({
          check: 'settings',
          state: 'failure',
          found: expect.stringContaining('PORT'),
        }),
      ]),
    });
  });
});

test('OP-09: with everything embedded and stopped it starts the servers for its checks, with the keys, and says key lost', async () => {
  const dataDir = temporaryFolder(onTestFinished);
  chmodSync(dataDir, 0o711); // PostgreSQL may have to pass through as another user
  const env = { PATH: process.env['PATH'], DATA_DIR: dataDir, LOG_LEVEL: 'error' };
  const examine = async () => {
    const { exitCode, json } = await runBeside(env, ['doctor', '--json']);
    const findings = json['findings'] as readonly Finding[];
    const told = findings.filter(({ state, check }) => state !== 'ok' && check !== 'node');
    return { exitCode, told, findings };
  };
  await endInstance(await readyInstance(spawnInstance({ DATA_DIR: dataDir, LOG_LEVEL: 'error' })), 'SIGTERM');
  const { exitCode, told, findings } = await examine();
  expect([exitCode, told.map(({ check }) => check)]).toEqual([0, ['service']]);
  expect(told[0]?.found).toBe('is stopped: no worker has a leader');
  const looked = ['database', 'event store', 'keys of persons', 'signing key RS256', 'lag of read-models'];
  expect(findings.map(({ check }) => check)).toEqual(expect.arrayContaining(looked));

  const embedded = await attachEmbedded({ dataDir, need: { postgres: true, eventStore: false } });
  const losing = `insert into lost_keys (key_id, subject) values ('gone', 'account:LOST')`;
  await query(embedded.databaseUrl ?? '', losing);
  await embedded.close();
  const lost = await examine();
  expect([lost.exitCode, lost.told.map(({ check }) => check)]).toEqual([1, ['keys of persons', 'service']]);
  expect(lost.told[0]?.found).toMatch(/^key lost: the key of 1 person/);
});

test('what does not answer is a finding in time', async () => {
  const [found] = await checkAll([{ check: 'a wall', run: () => new Promise(() => undefined) }], 20);
  expect(found).toMatchObject({
    check: 'a wall',
    state: 'failure',
    found: 'could not be checked (NoAnswer)',
  });
});

test('a certificate is read from the server, whoever signed it; a silent server is none', async () => {
  const port = await listening(createTls((await makeCertificates()).server));
  const config = readConfig({ BASE_URL: `https://127.0.0.1:${port}` });
  const [finding] = await checkAll(certificateChecks(config), 10_000);
  expect(finding).toMatchObject({
    check: `certificate of BASE_URL (127.0.0.1:${port})`,
    found: expect.stringMatching(/^valid until \d{4}-/),
  });
  const nobody = readConfig({ BASE_URL: `https://127.0.0.1:${await listening(createSilent())}` });
  expect((await checkAll(certificateChecks(nobody), 200))[0]).toMatchObject({ state: 'failure' });
});

test.each([
  [-1, 'failure'],
  [0, 'failure'],
  [1, 'warning'],
  [29, 'warning'],
  [31, 'ok'],
] as const)('a certificate that ends in %i days: %s', (days, state) => {
  expect(judgeCertificate('c', now + days * day, now).state).toBe(state);
});

test.each([
  ['24.10.5', 'ok', 'EventStoreDB 24.10.5'],
  ['25.0.0', 'ok', 'KurrentDB 25.0.0'],
  ['26.0.3', 'ok', 'KurrentDB 26.0.3'],
  ['26.1', 'ok', 'KurrentDB 26.1'],
  ['24.10.4', 'failure', 'EventStoreDB 24.10.4'],
  ['23.10.6', 'failure', 'EventStoreDB 23.10.6'],
  ['unknown', 'warning', 'it does not say its version'],
] as const)('OP-13: an event store of version %s: %s, told as %s', (version, state, found) => {
  expect(judgeVersion({ version }, now)).toMatchObject({ state, found });
});

test('OP-13: a version whose regular support has ended is warned of, with what to do', () => {
  const later = (version: string, day: string) => judgeVersion({ version }, Date.parse(day));
  expect(later('24.10.14', '2026-11-22')).toMatchObject({
    state: 'warning',
    found: 'EventStoreDB 24.10.14: without regular support since October 2026',
    advice: expect.stringContaining('KurrentDB 26.0'),
  });
  expect(later('26.0.3', '2026-11-22').state).toBe('ok');
  expect(later('26.0.3', '2028-03-01').state).toBe('warning');
});

test('versions are compared by their numbers', () => {
  expect(isAtLeast('20.9.0', '20.19')).toBe(false);
  expect(isAtLeast('20.19.0', '20.19')).toBe(true);
  expect(isAtLeast('18.4 (Debian 18.4-1)', '15')).toBe(true);
  expect(isAtLeast('x', '15')).toBe(false);
  expect(['20.18.1', '20.20.0', '24.1.0'].map((version) => checkNode(version).state)).toEqual([
    'failure',
    'warning',
    'ok',
  ]);
});

test('clocks: what the way there explains is no difference', () => {
  const at = (apart: number, error: number) => ({ asked: -error, created: apart, answered: error });
  const states = [0, 1_500, -1_500, 4_000, -40_000].map((apart) => judgeClock('c', at(apart, 1_000)).state);
  expect(states).toEqual(['ok', 'ok', 'ok', 'warning', 'failure']);
  expect(judgeClock('c', at(-40_000, 0)).found).toBe('40.0 s behind ours');
});

test('a lag is judged by the age of the oldest event that waits', () => {
  const lag = (seconds: number, isAll = true) =>
    judgeLag('l', { events: 3, oldest: now - seconds * 1000, isAll }, now);
  expect([5, 60, 600].map((seconds) => lag(seconds).state)).toEqual(['ok', 'warning', 'failure']);
  expect(lag(60, false).found).toBe('more than 3 events, the oldest for 60 s');
  expect(judgeLag('l', { events: 0, oldest: null, isAll: false }, now).state).toBe('warning');
});

test('a signed head is late after twice its interval, also the first', () => {
  const minute = 60_000;
  const head = (minutes: number) =>
    judgeHead({ signedAt: now - minutes * minute, begun: null, interval: 3600 }, now);
  expect([119, 120, 121].map((minutes) => head(minutes).state)).toEqual(['ok', 'ok', 'warning']);
  const none = (minutes: number | null) =>
    judgeHead(
      { signedAt: null, begun: minutes === null ? null : now - minutes * minute, interval: 3600 },
      now,
    );
  expect([null, 60, 180].map((minutes) => none(minutes).state)).toEqual(['ok', 'ok', 'warning']);
  expect(none(180).found).toBe('none yet, the first event is 180 min old');
});

test('a full disk, an old key, and a key that nobody can open any more', async () => {
  const disk = (gib: number) =>
    checkDisk('/', (() => Promise.resolve({ bavail: gib * 1024, bsize: 2 ** 20 })) as never);
  expect((await Promise.all([0.1, 1, 3].map(disk))).map(({ state }) => state)).toEqual([
    'failure',
    'warning',
    'ok',
  ]);
  const key = (days: number) => ({
    kid: 'x',
    publicJwk: { alg: 'RS256' as const },
    tokenKeyId: 'k1',
    currentFrom: now - days * day,
  });
  const keys = { current: 'k2', keys: new Map([['k2', new Uint8Array(32)]]) };
  expect(judgeSigningKey(key(400), null, now)).toMatchObject({
    state: 'warning',
    advice: expect.stringContaining('keys rotate --alg RS256'),
  });
  expect(judgeSigningKey(key(4), keys, now).state).toBe('failure');
  const master = (id: string, days: number) =>
    judgeMasterKey({ id, count: '1', since: String(now - days * day) }, keys, now).state;
  expect([master('k2', 4), master('k2', 400), master('k1', 4)]).toEqual(['ok', 'warning', 'failure']);
  const tokenKey = (days: number) => judgeTokenKey('k1', now - days * day, now).state;
  expect([tokenKey(4), tokenKey(400)]).toEqual(['ok', 'warning']);
});
