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

describe('grantbook organization', () => {
  test('AM-10: a list stays as wide as a terminal, with whole ids; show has the rest', async () => {
    const name = `Lantern ${'x'.repeat(70)} end`;
    const id = await service.organization(name);
    const { stdout } = await service.run(['organization', 'list', '--search', 'Lantern']);
    expect(stdout).toContain(id);
    expect(stdout).toContain(`${name.slice(0, 59)}… `);
    expect((await service.run(['organization', 'show', id])).stdout).toContain(name);
  });
});

describe('grantbook addon', () => {
  test('CL-08, FX-26: a look-alike is named and needs --force; the very same name is taken, with a warning', async () => {
    const named = (name: string, ...more: string[]) =>
      service.run([
        ...words('addon register --redirect-uri https://a.example/ --json --name'),
        name,
        ...more,
      ]);
    const original = await service.addon('Pier Plan');
    const refused = await named('Рier Рlan');
    expect(refused).toMatchObject({
      exitCode: 1,
      json: { error: { code: 'name-looks-alike', problems: [{ field: 'name' }] } },
    });
    expect(refused.stdout).toContain(original);
    const forced = await named('Рier Рlan', '--force', '--configuration-url', 'https://a.example/');
    expect([forced.exitCode, forced.json]).toEqual([0, { client_id: expect.any(String) }]);
    const same = await named('Pier Plan');
    expect(same).toMatchObject({
      exitCode: 0,
      json: { warnings: [{ code: 'name-not-unique' }, { code: 'configuration-url-missing' }] },
    });
    expect(same.stdout).toContain(original);
  });

  test('help, the answer and `addon show` say what an add-on without a configuration URL cannot do', async () => {
    const help = await service.run(['addon', 'register', '--help']);
    expect(help.stdout.replace(/\s+/g, ' ')).toContain(
      'without it the add-on cannot be activated for an organization',
    );
    const { stdout } = await service.run(
      words('addon register --name Solo --redirect-uri https://a.example/'),
    );
    expect(stdout).toContain('cannot be activated for an organization');
    const [id = ''] = /01[0-9A-Z]{24}/.exec(stdout) ?? [];
    expect((await service.run(['addon', 'show', id])).stdout).toContain(
      'it cannot be activated for an organization',
    );
  });

  test('AD-01: registers what an add-on may do, and shows the add-on at once and in the list', async () => {
    const out = 'https://addon.example/out https://addon.example/bye';
    const may = `--scope profiles:read --grant-type authorization_code --id-token-alg ES256`;
    const made = await service.runJson([...register, ...words(`${may} --post-logout-redirect-uri ${out}`)]);
    const id = String(made['client_id']);
    expect(await service.runJson(['addon', 'show', id])).toEqual({
      client_id: id,
      name: 'Doors',
      redirect_uris: ['https://addon.example/cb'],
      configuration_url: null,
      scopes: ['profiles:read'],
      confidential: false,
      grant_types: ['authorization_code'],
      post_logout_redirect_uris: out.split(' '),
      id_token_alg: 'ES256',
      audiences: [],
      allowed_audiences: [],
      publisher_id: null,
      publisher: null,
      verified: false,
      website: null,
      privacy_url: null,
      support_url: null,
      has_logo: false,
      suspended: false,
      retired: false,
    });
    const { stdout, exitCode } = await service.run(['addon', 'list']);
    expect(exitCode).toBe(0);
    expect(stdout).toContain(id);
    expect((await service.run(['addon', 'show', id])).stdout).toContain(out.replace(' ', '  '));
  });

  test('AD-01: registers a resource server, which is confidential and needs no redirect URI', async () => {
    const args = ['addon', 'register', '--name', 'Doors API', '--resource-server'];
    const answer = await service.runJson([...args, '--audience', 'https://api.example']);
    expect(answer).toHaveProperty('client_secret');
    expect(await service.runJson(['addon', 'show', String(answer['client_id'])])).toMatchObject({
      redirect_uris: [],
      scopes: [],
      grant_types: [],
      confidential: true,
      audiences: ['https://api.example'],
    });
    const refused = await service.run([...register, '--audience', 'https://api.example', '--json']);
    expect(refused).toMatchObject({ exitCode: 1, json: { error: { problems: [{ field: 'audiences' }] } } });
  });

  test('AD-02: shows each secret of a confidential add-on once, and rotates it with an overlap', async () => {
    const made = await service.runJson([...register, '--confidential']);
    const id = String(made['client_id']);
    expect(String(made['client_secret']).length).toBeGreaterThan(30);
    const second = await service.runJson(['addon', 'secret', 'add', id]);
    expect(second).toEqual({
      client_id: id,
      secret_id: expect.any(String),
      client_secret: expect.stringMatching(/^mkt_cs_/),
    });
    const both = await service.runJson(['addon', 'secret', 'list', id]);
    expect(both).toMatchObject({ client_id: id, secrets: [{}, { secret_id: second['secret_id'] }] });
    const shown = await service.runJson(['addon', 'show', id]);
    expect(shown).toMatchObject({ confidential: true });
    const told = JSON.stringify([both, shown, await service.runJson(['addon', 'list'])]);
    for (const secret of [made['client_secret'], second['client_secret']]) expect(told).not.toContain(secret);
    const [first] = (both as { secrets: readonly { secret_id: string }[] }).secrets;
    const remove = ['addon', 'secret', 'remove', id];
    expect(await service.runJson([...remove, String(first?.secret_id)])).toMatchObject({ removed: true });
    const last = await service.run([...remove, String(second['secret_id']), '--json']);
    expect([last.exitCode, last.json]).toMatchObject([1, { error: { code: 'last-secret' } }]);
  });

  test('refuses what no add-on may have, and names the field (AD-01, AZ-07)', async () => {
    const args = ['addon', 'register', '--name', 'Doors', '--redirect-uri', 'javascript:alert(1)', '--json'];
    const ran = await service.run(args);
    expect(ran.exitCode).toBe(1);
    expect(ran.json).toMatchObject({ error: { code: 'invalid', problems: [{ field: expect.any(String) }] } });
  });
});

describe('grantbook keys', () => {
  test('JW-02: a rotated key is published by the running service, and waits for its turn to sign', async () => {
    type Keys = { readonly keys: readonly { readonly kid: string }[] };
    const first = (await service.runJson(['keys', 'list'])) as Keys; // of each algorithm, made before the service was ready
    const made = [
      await service.runJson(['keys', 'rotate']),
      await service.runJson(['keys', 'rotate', '--alg', 'ES256']),
    ];
    expect(made).toMatchObject([
      { state: 'published', alg: 'RS256' },
      { state: 'published', alg: 'ES256' },
    ]);
    const published = async () => {
      const { keys } = (await (await fetch(`${service.baseUrl}/oauth/jwks`)).json()) as Keys;
      return keys.map(({ kid }) => kid).sort();
    };
    const all = [...first.keys, ...(made as unknown as Keys['keys'])].map(({ kid }) => kid).sort();
    await expect.poll(published).toEqual(all); // an instance knows a key half a minute later

    const again = await service.run(['keys', 'rotate', '--json']);
    expect([again.exitCode, again.json]).toMatchObject([1, { error: { code: 'rotation-under-way' } }]);
    const { stdout } = await service.run(['keys', 'list']);
    expect(stdout).toMatch(/current[^]*published/);
    expect(stdout).toContain('ES256');
  });
});

describe('grantbook user', () => {
  test('AC-04: makes a token for an administrator’s program, shows it once, and ends it', async () => {
    const email = 'tess@example.com';
    const user = await service.user('tess', '--administrator-of', organization);
    const token = (act: string, ...more: readonly string[]) => [
      'user',
      'token',
      act,
      '--email',
      email,
      ...more,
    ];
    const made = await service.runJson(token('create', '--name', 'audit', '--organization', organization));
    const item = {
      token_id: expect.stringMatching(/^[0-9A-Z]{26}$/) as string,
      organization_id: organization,
      name: 'audit',
      issued_at: expect.stringMatching(/Z$/) as string,
      expires_at: expect.stringMatching(/Z$/) as string,
      made_by: 'break-glass',
      made_with: null,
    };
    const secret = expect.stringMatching(/^mkt_admin_[\w-]{100,}$/) as string;
    expect(made).toEqual({ user_id: user, ...item, token: secret, told_by_mail: null });
    const lifetime = Date.parse(String(made['expires_at'])) - Date.parse(String(made['issued_at']));
    expect(lifetime).toBe(30 * 86_400_000);
    const status = async () =>
      (
        await fetch(`${service.baseUrl}/organizations/${organization}/addons`, {
          headers: { authorization: `Bearer ${String(made['token'])}` },
        })
      ).status;
    expect(await status()).toBe(200);
    const forAll = await service.runJson(token('create', '--name', 'all', '--days', '1'));
    expect(forAll['organization_id']).toBeNull();
    const listed = await service.runJson(['user', 'token', 'list', '--user', user]);
    expect(listed).toEqual({
      user_id: user,
      tokens: [item, { ...item, name: 'all', organization_id: null }].map((one) => ({
        ...one,
        provider_rights_until: null,
      })),
    });
    const id = String(made['token_id']);
    const ended = { user_id: user, token_id: id, revoked: true };
    expect(await service.runJson(token('revoke', id))).toEqual(ended);
    expect(await status()).toBe(401);
    expect(await service.run([...token('revoke', id), '--json'])).toMatchObject({
      exitCode: 1,
      json: { error: { code: 'token-unknown' } },
    });
  });

  test('is erased only when it is meant', async () => {
    const user = await service.user('eve');
    expect((await service.run(['user', 'erase', user, '--json'])).exitCode).toBe(2);
    expect(await service.runJson(['user', 'show', user])).toMatchObject({ name: 'eve', erased: false });
    expect(await service.runJson(['user', 'erase', user, '--yes'])).toEqual({
      user_id: user,
      erased: true,
      repeated: false,
      remains: { profiles: [], events_in_clear: 0, email_claim: false },
    });
    const shown = { email: 'erased', name: 'erased', disabled: true, erased: true };
    expect(await service.runJson(['user', 'show', user])).toMatchObject(shown);
    const unknown = await service.run(words(`profile erase --organization ${organization} P9 --yes --json`));
    expect(unknown).toMatchObject({ exitCode: 1, json: { error: { code: 'profile-unknown' } } });
  });
});

test.each([
  ['addon', ['show', 'suspend', 'resume']],
  ['user', ['show', 'disable', 'enable']],
  ['grant', ['show', 'revoke']],
])('refuses an id that no %s has', async (entity, verbs) => {
  for (const verb of verbs)
    for (const id of [organization, 'no_ulid']) {
      const ran = await service.run([entity, verb, id, '--json']);
      expect([verb, ran.exitCode, ran.json]).toMatchObject([
        verb,
        1,
        { error: { code: `${entity}-unknown` } },
      ]);
    }
});

describe('grantbook activation', () => {
  test('counts epochs, and asking twice changes nothing (DE-05)', async () => {
    const addon = await service.addon('Doors');
    const act = (verb: string) => service.runJson(['activation', verb, ...where(addon)]);
    expect(await act('show')).toMatchObject({ status: 'never-activated' });
    expect(await act('activate')).toMatchObject({ status: 'active', epoch: 1 });
    const receipt = await act('deactivate');
    expect(receipt).toMatchObject({
      status: 'deactivated',
      epoch: 1,
      position: expect.stringMatching(/^\d+\/\d+$/),
    });
    expect(await act('deactivate')).toMatchObject({ epoch: 1, position: receipt.position });
    expect(await act('activate')).toMatchObject({ status: 'active', epoch: 2 });
    const { stdout } = await service.run(['activation', 'deactivate', ...where(addon)]);
    expect(stdout).toMatch(/is refused since \S+Z at the latest \(event \d+\/\d+\)/);
    expect(stdout).toContain('0 grants, approved by 0 people; 0 codes never exchanged');
  });

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
    const sheet = (await service.run(['activation', 'show', ...where(addon)])).stdout;
    expect(sheet).toMatch(/^deactivated +\d{4}-\S+Z by break-glass$/m);
    expect(sheet).toMatch(/^live grants +0$/m);
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

  test('refuses an organization that does not exist, before it reads a line', async () => {
    const ran = await service.run(
      ['import', 'profiles', '-', '--organization', 'NOWHERE', '--json'],
      line('a'),
    );
    expect([ran.exitCode, ran.json]).toMatchObject([1, { error: { code: 'organization-unknown' } }]);
  });

  test('tells people in a few lines', async () => {
    const ran = await service.run(
      ['import', 'profiles', '-', '--organization', organization],
      `${line('x')}\n{`,
    );
    expect(ran.stderr).toContain('2 profiles: 1 added, 0 changed, 0 removed, 0 unchanged, 1 refused');
    expect(ran.stderr).toContain('line 2: the line is not JSON');
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
