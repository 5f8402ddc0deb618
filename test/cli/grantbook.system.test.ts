import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, describe, expect, test } from 'vitest';
import { activationStream, grantStream } from '../../src/domain/streams.ts';
import { packageRoot } from '../../src/process/package-root.ts';
import { startLiveService } from './live-process.ts';
import { runBeside } from './live-service.ts';
import { runGrantbook, type Ran } from './run-grantbook.ts';
import { authorize } from './authorize.ts';
import { tracesOf } from './traces-of.ts';
import { words } from '../support/words.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const register = ['addon', 'register', '--name', 'Doors', '--redirect-uri', 'https://addon.example/cb'];
const temporary = temporaryFolder();

/** Registered before there was a service. */
let early: Ran;

const service = await startLiveService(async (env) => {
  early = await runBeside(env, [...register, '--json']);
});
afterAll(() => service.stop());
const organization = await service.organization('Quay');

const where = (addon: string) => ['--organization', organization, '--addon', addon];

describe('grantbook keys', () => {
  test('JW-02: a rotated key waits for its turn to sign, and another rotation for that', async () => {
    for (const [alg, ...more] of [['RS256'], ['ES256', '--alg', 'ES256']] as const)
      expect(await service.runJson(['keys', 'rotate', ...more])).toMatchObject({ state: 'published', alg });
    expect(await service.run(['keys', 'rotate', '--json'])).toMatchObject({
      exitCode: 1,
      json: { error: { code: 'rotation-under-way' } },
    });
    const { stdout } = await service.run(['keys', 'list']);
    expect(stdout).toMatch(/current[^]*published/);
    expect(stdout).toContain('ES256');
  });
});

describe('grantbook activation', () => {
  test('ends the tokens of the running service before it answers (DE-01, SU-01)', async () => {
    const addon = await service.addon('Doors');
    await service.runJson(['activation', 'activate', ...where(addon)]);
    const { list } = await authorize(service, { organization, addon });
    expect((await list('profiles')).status).toBe(200);
    await service.runJson(['addon', 'suspend', addon]);
    expect((await list('profiles')).status).toBe(401);
    await service.runJson(['addon', 'resume', addon]);
    expect((await list('profiles')).status).toBe(200);
    expect(await service.runJson(['activation', 'show', ...where(addon)])).toMatchObject({
      status: 'active',
      activated_by: 'break-glass',
      deactivated_by: null,
      revocation: null,
    });
    expect(await service.runJson(['activation', 'deactivate', ...where(addon)])).toMatchObject({
      live_grants: expect.any(Number),
      unredeemed_codes: expect.any(Number),
      approvers: expect.any(Number),
    });
    expect(await service.runJson(['activation', 'show', ...where(addon)])).toMatchObject({
      status: 'deactivated',
      deactivated_by: 'break-glass',
      revocation: { completed: expect.any(Boolean) },
    });
    expect((await list('profiles')).status).toBe(401);
  });
});

describe('grantbook audit', () => {
  test('tells what was open, who opened it and what ended it, while a service runs', async () => {
    const user = await service.user('Zoe');
    const addon = await service.addon('Doors');
    const act = (verb: string) => service.runJson(['activation', verb, ...where(addon)]);
    await act('activate');
    const { grantId } = await authorize(service, { user, addon, organization });
    const grant = grantStream(grantId);
    const now = () => ['--at', new Date().toISOString()];
    const window = () => ['--from', '2026-01-01', '--to', new Date().toISOString()];
    const asOf = () => service.runJson(['audit', 'as-of', '--organization', organization, ...now()]);
    const exposure = () => service.runJson(['audit', 'exposure', ...where(addon), ...window()]);
    const ofAddon = expect.objectContaining({ id: addon, name: 'Doors' }) as unknown;
    const opened = { event: { type: 'AuthorizationCodeRedeemed', stream: grant } };

    expect((await asOf())['grants']).toContainEqual(
      expect.objectContaining({
        grant_id: grantId,
        addon: ofAddon,
        subject: { kind: 'organization', id: organization, name: 'Quay' },
        approved_by: { id: user, name: 'Zoe' },
        open_scopes: ['profiles:read'],
      }),
    );
    expect(await exposure()).toMatchObject({
      addon: ofAddon,
      intervals: [
        { subject: { kind: 'organization', id: organization }, scope: 'profiles:read', opened, closed: null },
      ],
      tokens: [{ grant_id: grantId, rotation: 0, scopes: ['profiles:read'] }],
    });

    await act('deactivate');
    expect((await asOf())['grants']).not.toContainEqual(expect.objectContaining({ grant_id: grantId }));
    expect(await exposure()).toMatchObject({
      intervals: [{ opened, closed: { event: { type: 'AddonDeactivated' } } }],
    });
    const { stdout } = await service.run(['audit', 'exposure', ...where(addon), ...window()]);
    expect(stdout).toMatch(
      /profiles:read of organization .*Quay[^]*\(AuthorizationCodeRedeemed[^]*\(AddonDeactivated/,
    );

    const replayed = await service.runJson(['audit', 'replay', grant, '--limit', '2']);
    expect(replayed).toMatchObject({
      stream: grant,
      steps: [
        { revision: 0, type: 'AuthorizationCodeIssued' },
        { revision: 1, type: 'AuthorizationCodeRedeemed' },
      ],
    });
    const timeline = await service.runJson(['audit', 'timeline', '--grant', grantId]);
    expect(timeline).toMatchObject({ about: { kind: 'grant', id: grantId }, complete: true });
    expect((timeline['entries'] as readonly { type: string; what: string }[]).slice(0, 2)).toMatchObject([
      { type: 'AuthorizationCodeIssued', what: expect.stringContaining('Zoe') as string, stream: grant },
      { type: 'AuthorizationCodeRedeemed', stream: grant },
    ]);
    const asked = words(`audit timeline --organization ${organization} --type AuditQueried --before end`);
    const questions = (await service.runJson(asked))['entries'];
    expect(questions).toContainEqual(expect.objectContaining({ type: 'AuditQueried' }));
  });

  test('exports a real log, which verifies offline, and names the line that was changed', async () => {
    const addon = await service.addon('Doors');
    await service.run(['activation', 'activate', ...where(addon)]);
    const [file, keys] = [join(temporary, 'export.ndjson'), join(temporary, 'jwks.json')];
    const exporting = ['audit', 'export', '--organization', organization, '-o', file] as const;
    const exported = await service.runJson(exporting);
    expect(exported).toMatchObject({ file, organization, from: null, exported_by: 'break-glass' });
    const lines = readFileSync(file, 'utf8').split('\n');
    expect(lines.slice(0, -2).some((line) => line.includes(activationStream(organization, addon)))).toBe(
      true,
    );
    expect(exported['events']).toBe(lines.length - 2);

    writeFileSync(keys, await (await fetch(`${service.baseUrl}/oauth/jwks`)).text());
    const verifying = ['audit', 'verify', file] as const;
    const { json, exitCode } = await runGrantbook([...verifying, '--jwks', keys, '--json']); // nothing runs there
    expect({ json, exitCode }).toMatchObject({ json: { ok: true, key_is_known: true }, exitCode: 0 });
    expect((await runGrantbook(verifying)).stdout).toContain(
      "Whether the key is the service's is not verified",
    );

    const again = await service.run([...exporting, '--json']);
    expect([again.exitCode, again.json]).toMatchObject([1, { error: { code: 'file-exists' } }]);
    writeFileSync(file, lines.with(1, String(lines[1]).replace('break-glass', 'somebody')).join('\n'));
    const changed = await runGrantbook([...verifying, '--json']);
    expect([changed.exitCode, changed.json]).toMatchObject([1, { ok: false, line: 2 }]);
  });

  test('signs a head of a real log, and finds that the log agrees with it, and with no other', async () => {
    const file = join(temporary, 'head.json');
    expect((await service.run(['audit', 'head', '--json'])).json).toMatchObject({
      error: { code: 'no-head' },
    });
    const first = await service.runJson(['audit', 'head', '--sign', '-o', file]);
    const next = await service.runJson(['audit', 'head', '--sign']);
    expect(next).toMatchObject({ previousSize: first['size'], proof: expect.any(Array) as unknown });
    expect(await service.runJson(['audit', 'head'])).toEqual(next);
    const checked = await service.run(['audit', 'check-log', '--head', file, '--json']);
    expect([checked.exitCode, checked.json]).toMatchObject([
      0,
      { ok: true, heads: { outside: 1, inside: 2 }, verified_before: 0, removed: {} },
    ]);
    // FX-103: no head was signed since, and the next check begins where that one ended; with --full, at the beginning.
    const repeated = await service.run(['audit', 'check-log', '--head', file, '--json']);
    expect(repeated.json).toMatchObject({ ok: true, verified_before: checked.json['size'] });
    const whole = await service.run(['audit', 'check-log', '--full', '--head', file, '--json']);
    expect([whole.exitCode, whole.json]).toMatchObject([0, { ok: true, verified_before: 0 }]);
    const proved = join(temporary, 'proved.ndjson');
    await service.runJson(['audit', 'export', '--organization', organization, '--head', file, '-o', proved]);
    const early = ['audit', 'export', '--organization', organization, '--head', file, '--until', '1/1'];
    expect(await service.run([...early, '-o', `${proved}.early`, '--json'])).toMatchObject({
      exitCode: 1,
      json: {
        error: { code: 'until-before-head', message: expect.stringContaining('--until 1/1 is before') },
      },
    });
    expect((await runGrantbook(['audit', 'verify', proved, '--head', file, '--json'])).json).toMatchObject({
      ok: true,
      in_log_of_head: true,
    });
    const nextFile = join(temporary, 'next.json');
    writeFileSync(nextFile, JSON.stringify(next));
    const other = await runGrantbook(['audit', 'verify', proved, '--head', nextFile, '--json']);
    expect([other.exitCode, other.json]).toMatchObject([1, { error: { code: 'other-log' } }]);
    writeFileSync(file, JSON.stringify({ ...first, root: next['root'] }));
    const changed = await service.run(['audit', 'check-log', '--head', file, '--json']);
    expect([changed.exitCode, changed.json]).toMatchObject([1, { error: { code: 'bad-head' } }]);
  });

  test('refuses what it cannot export or read, in words', async () => {
    const file = join(temporary, 'none.ndjson');
    const unknown = await service.run(
      words(`audit export --organization 01JD0000000000000000000009 -o ${file} --json`),
    );
    expect([unknown.exitCode, unknown.json]).toMatchObject([1, { error: { code: 'organization-unknown' } }]);
    const nowhere = await service.run(
      words(`audit export --organization ${organization} -o ${join(file, 'x')} --json`),
    );
    expect([nowhere.exitCode, nowhere.json]).toMatchObject([1, { error: { code: 'not-written' } }]);
    expect(existsSync(file)).toBe(false);
  });
});

describe('grantbook import', () => {
  const line = (id: string, more: object = {}) =>
    JSON.stringify({ id, version: 1, name: `Person ${id}`, email: `${id}@example.com`, ...more });

  test('names bad lines, keeps the good ones, and the lists show them once it is done (LI-08)', async () => {
    const home = await service.organization('Import');
    const file = join(temporary, 'profiles.ndjson');
    const lines = Array.from({ length: 300 }, (_, i) => line(`p${i}`));
    lines[100] = '{"id":"p100"';
    lines[200] = line('p200', { nickname: 'Pat' });
    writeFileSync(file, `${lines.join('\r\n')}\n`);
    const importing = ['import', 'profiles', file, '--organization', home, '--json'];

    const first = await service.run(importing);
    expect(first.exitCode).toBe(1);
    expect(first.json).toMatchObject({ added: 298, changed: 0, unchanged: 0, refused: 2, visible: true });
    expect(first.json['errors']).toEqual([
      { line: 101, field: null, message: 'the line is not JSON' },
      { line: 201, field: 'nickname', message: 'is not a field of this record' },
    ]);
    const addon = await service.addon('Doors');
    await service.runJson(['activation', 'activate', '--organization', home, '--addon', addon]);
    const { list } = await authorize(service, { organization: home, addon });
    expect(await (await list('profiles')).json()).toMatchObject({ _pagination: { total_items: 298 } });

    const again = await service.run(importing);
    expect(again.json).toMatchObject({ added: 0, changed: 0, unchanged: 298, refused: 2 });

    const change = [line('p1', { version: 2, name: 'Changed' }), '{"id":"p2","version":2,"deleted":true}'];
    const later = await service.runJson(
      ['import', 'profiles', '-', '--organization', home],
      change.join('\n'),
    );
    expect(later).toMatchObject({ added: 0, changed: 1, removed: 1, refused: 0 });
    expect(await (await list('profiles')).json()).toMatchObject({ _pagination: { total_items: 297 } });
  });
});

test('a run is a trace of its own, and what the service does because of it goes on with it (DE-04)', async () => {
  const addon = await service.addon('Doors');
  for (const verb of ['activate', 'deactivate']) await service.runJson(['activation', verb, ...where(addon)]);
  const traces = () => tracesOf(service, activationStream(organization, addon));
  await expect.poll(traces, { interval: 200 }).toHaveLength(3);
  const [activated, deactivated, completed] = await traces();
  expect(activated).toEqual(['AddonActivated', expect.stringMatching(/^[0-9a-f]{32}$/)]);
  expect(deactivated).toEqual(['AddonDeactivated', expect.stringMatching(/^[0-9a-f]{32}$/)]);
  expect(completed).toEqual(['RevocationCompleted', deactivated?.[1]]);
  expect(deactivated?.[1]).not.toBe(activated?.[1]);
});

describe('the grantbook program', () => {
  test('has one JSON document on standard output, its log on standard error, and its own exit code', async () => {
    const program = join(packageRoot, 'dist/src/cli/grantbook.js');
    const args = words('user create --email di@example.com --name Di --json');
    await service.user('di');
    const env = { ...service.env, LOG_LEVEL: 'trace' };
    const child = spawn(process.execPath, [program, ...args], { env });
    child.stdin.end('correct horse battery');
    const [stdout, stderr] = await Promise.all([
      text(child.stdout),
      text(child.stderr),
      once(child, 'close'),
    ]);
    expect(child.exitCode).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({ error: { code: 'email-taken' } });
    expect(stdout.trim().split('\n')).toHaveLength(1);
    expect(stderr).not.toContain('correct horse');
  });
});

describe('without a service', () => {
  const away = {
    DATA_DIR: join(temporary, 'away'),
    EVENTSTORE_URL: 'esdb://127.0.0.1:9?tls=false',
    DATABASE_URL: 'postgresql://grantbook:secret-word@127.0.0.1:9/grantbook',
  };

  test('a command names the setting of the server that it cannot reach, never what is secret in it', async () => {
    for (const args of [['addon', 'list'], ['migrate']]) {
      const ran = await service.run([...args, '--json'], '', away);
      expect(ran.exitCode).toBe(1);
      expect(ran.json).toMatchObject({
        error: {
          code: 'not-reached',
          setting: expect.stringMatching(/^(DATABASE|EVENTSTORE)_URL$/),
          message: expect.stringMatching(
            /cannot be reached \(ECONNREFUSED\): check that PostgreSQL is running/,
          ),
        },
      });
      expect(ran.stdout + ran.stderr).not.toContain('secret-word');
    }
  });

  test('a command starts what it needs for itself, and the service that comes later finds what it did', async () => {
    const { items } = await service.runJson(['addon', 'list']);
    expect(early.exitCode).toBe(0);
    expect(items).toContainEqual(expect.objectContaining({ client_id: early.json['client_id'] }));
  });
});
