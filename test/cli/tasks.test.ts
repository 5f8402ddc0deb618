import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { grantStream } from '../../src/domain/streams.ts';
import { startWithCommandLines } from '../support/scenes/command-lines.ts';
import { activate, listWith, obtainTokens, setScene } from '../support/scenes/http-scene.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { words } from '../support/words.ts';

/** What the command line does around the tasks of the table, which test/tasks/each-task.ts does all. */

const service = await startWithCommandLines();
const organization = await service.organization('Quay');
const run = (text: string, ...more: readonly string[]) => service.run([...words(text), ...more]);
const json = (text: string, ...more: readonly string[]) => service.runJson([...words(text), ...more]);
const where = (addon: string) => `--organization ${organization} --addon ${addon}`;
const folder = temporaryFolder();
const file = (name: string, bytes: Buffer): string => {
  writeFileSync(join(folder, name), bytes);
  return join(folder, name);
};

/** An add-on that is active for an organization, a grant for it, and one of a user's own records. */
const withGrants = async () => {
  const scene = await setScene(service, { name: 'Held' });
  await activate(service, scene);
  const tokens = [
    await obtainTokens(service, scene, { subject: `organization:${scene.organizationId}` }),
    await obtainTokens(service, scene, { subject: 'user', change: { prompt: 'consent' } }),
  ].map(({ access_token }) => access_token);
  const statuses = async () =>
    (await Promise.all(tokens.map((token) => listWith(service, '/profiles', token)))).map(
      ({ statusCode }) => statusCode,
    );
  const [grantId = ''] = tokens.map((token) => service.commands.verifyAccessToken(token)?.grantId ?? '');
  return { ...scene, addon: scene.clientId, grantId, statuses };
};

describe('grantbook addon', () => {
  test('AD-01: registers what an add-on may do, and says what one without a configuration URL cannot', async () => {
    const out = 'https://addon.example/out https://addon.example/bye';
    const may = '--scope profiles:read --grant-type authorization_code --id-token-alg ES256';
    const uri = '--redirect-uri https://addon.example/cb';
    const made = await json(`addon register --name Solo ${uri} ${may} --post-logout-redirect-uri ${out}`);
    const id = String(made['client_id']);
    expect(made['warnings']).toMatchObject([{ code: 'configuration-url-missing' }]);
    expect(await json(`addon show ${id}`)).toMatchObject({
      scopes: ['profiles:read'],
      grant_types: ['authorization_code'],
      post_logout_redirect_uris: out.split(' '),
      id_token_alg: 'ES256',
    });
    const sheet = (await run(`addon show ${id}`)).stdout;
    expect(sheet).toContain('it cannot be activated for an organization');
    expect(sheet).toContain(out.replace(' ', '  '));
    const help = (await run('addon register --help')).stdout.replace(/\s+/g, ' ');
    expect(help).toContain('without it the add-on cannot be activated for an organization');
  });

  test('AD-01: registers a resource server, which is confidential and needs no redirect URI', async () => {
    const server = '--resource-server --audience https://api.example';
    const made = await json(`addon register --name "Doors API" ${server}`);
    expect(made).toHaveProperty('client_secret');
    expect(await json(`addon show ${String(made['client_id'])}`)).toMatchObject({
      redirect_uris: [],
      grant_types: [],
      confidential: true,
      audiences: ['https://api.example'],
    });
    const client = 'addon register --name Doors --redirect-uri https://a.example/ --json --audience';
    for (const [args, field] of [
      [`${client} https://api.example`, 'audiences'],
      ['addon register --name Doors --redirect-uri javascript:alert(1) --json', 'redirectUris[0]'],
    ] as const)
      expect(await run(args)).toMatchObject({ exitCode: 1, json: { error: { problems: [{ field }] } } });
  });

  test('CL-08, FX-26, FX-54: a name that is that of another add-on, or looks like it, needs --force', async () => {
    const addon = await service.addon('Doors');
    const [register, update] = [
      'addon register --redirect-uri https://a.example/ --json --name',
      `addon update ${addon} --json --name`,
    ];
    for (const [args, name, alike] of [
      [register, 'Pier Plan', 'Рier Рlan'],
      [update, 'Slipway', 'Ѕlipway'],
    ] as const) {
      const original = await service.addon(name);
      const refused = await run(args, alike);
      const error = { code: 'name-looks-alike', problems: [{ field: 'name' }] };
      expect(refused).toMatchObject({ exitCode: 1, json: { error } });
      expect(refused.stdout).toContain(original);
      expect((await run(args, alike, '--force')).exitCode).toBe(0);
      for (const way of [register, update]) {
        const same = await run(way, name);
        expect(same).toMatchObject({ exitCode: 1, json: { error } });
        expect(same.stdout).toContain(original);
      }
      expect((await run(register, name, '--force')).exitCode).toBe(0);
    }
    expect((await run(update, 'Ѕlipway', '--publisher', 'Boats Ltd')).exitCode, 'its own').toBe(0);
    expect((await run(update, 'Slipway', '--force')).exitCode).toBe(0);
  });

  test('AM-12: takes a logo from a file, which has to be there; a change of nothing is a usage error', async () => {
    const addon = await service.addon('Doors');
    const png = file('logo.png', Buffer.from('89504e470d0a1a0a00', 'hex'));
    expect(await json(`addon update ${addon} --logo`, png)).toMatchObject({ has_logo: true });
    for (const [logo, says] of [
      [file('logo.svg', Buffer.from('<svg onload="alert(1)"/>')), 'PNG, JPEG or WebP'],
      [
        file('large.png', Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), Buffer.alloc(300_000)])),
        '65536',
      ],
      [join(folder, 'none'), 'logo-unreadable'],
    ] as const) {
      const refused = await run(`addon update ${addon} --json --logo`, logo);
      expect([refused.exitCode, refused.stdout]).toEqual([1, expect.stringContaining(says)]);
    }
    expect((await run(`addon update ${addon} --json`)).exitCode).toBe(2);
  });

  test('AM-12: grants keep a removed scope until --apply-to-grants ends them, with a receipt for each organization', async () => {
    const { addon, organizationId, statuses } = await withGrants();
    await json(`addon update ${addon} --scope reservations:read`);
    expect(await statuses()).toEqual([200, 200]);
    const receipts = [
      { organization_id: organizationId, client_id: addon, revoked_grants: 1 },
      { organization_id: null, client_id: addon, revoked_grants: 1 },
    ];
    for (const _time of ['first', 'again'])
      expect((await json(`addon update ${addon} --apply-to-grants`))['receipts']).toEqual(receipts);
    expect(await statuses()).toEqual([401, 401]);
    const other = await service.addon('Doors');
    expect((await json(`addon update ${other} --apply-to-grants`))['receipts']).toEqual([]);
  });

  test('AM-12: to retire one permanently ends everything, with receipts, also when it is run again', async () => {
    const { addon, organizationId, statuses } = await withGrants();
    const retired = await json(`addon retire ${addon}`);
    expect(retired).toMatchObject({
      retired: true,
      receipts: [
        { organization_id: organizationId, epoch: 1, repeated: false },
        { organization_id: null, revoked_grants: 1 },
      ],
    });
    expect(await statuses()).toEqual([401, 401]);
    expect((await json(`addon retire ${addon}`))['receipts']).toMatchObject([
      { organization_id: organizationId, epoch: 1, repeated: true },
      { organization_id: null, revoked_grants: 1 },
    ]);
    const change = [`addon resume ${addon}`, `addon suspend ${addon}`, `addon update ${addon} --name Gate`];
    for (const args of [...change, `activation activate ${where(addon)}`])
      expect(await run(`${args} --json`)).toMatchObject({
        exitCode: 1,
        json: { error: { code: 'addon-retired' } },
      });
    expect((await run('addon list')).stdout).toContain('retired');
  });
});

describe('AP-09: grantbook grant', () => {
  test('a table shows names with their ids, and an id may be a name or an address', async () => {
    const scene = await setScene(service, { name: 'Gates Nine' });
    await activate(service, scene);
    const { organizationId, clientId, userId, email } = scene;
    await obtainTokens(service, scene, { subject: `organization:${organizationId}` });
    const { name } = await json(`organization show ${organizationId}`);
    const named = ['--addon', 'Gates Nine', '--organization', String(name), '--user', email];
    const { items } = await service.runJson(['grant', 'list', ...named]);
    const [{ grant_id: grantId = '' } = {}] = items as readonly Readonly<Record<string, string>>[];
    const columns = ['--columns', 'grant_id,client_id,organization_id,user_id'];
    const { stdout } = await service.run(['grant', 'list', ...named, ...columns]);
    const rows = stdout.split('\n');
    const at = rows.findIndex((row) => row.startsWith(grantId));
    expect(rows[at]).toMatch(new RegExp(`^\\w{26} {2}Gates Nine {18}${String(name)} +Ada Ahoi$`));
    expect(rows[at + 1]).toBe(`${' '.repeat(28)}${clientId}  ${organizationId}  ${userId}`);
    expect(rows.join('')).not.toMatch(/[─│┼]/);
    const ids = [
      `Gates Nine \\(${clientId}\\)`,
      `${String(name)} \\(${organizationId}\\)`,
      `Ada Ahoi \\(${userId}\\)`,
    ];
    expect((await run(`grant show ${grantId}`)).stdout).toMatch(new RegExp(ids.join('[^]*')));
    expect((await json(`user show ${email}`))['user_id']).toBe(userId);
    const twins = [await service.organization('Twin'), await service.organization('Twin')];
    expect(await run('organization show Twin --json')).toMatchObject({
      exitCode: 1,
      json: { error: { code: 'name-ambiguous', candidates: twins.map((id) => ({ id, name: 'Twin' })) } },
    });
    expect((await run('organization show Twin')).stderr).toContain(twins[1]);
    await run(`organization set-external-id ${twins[0]} twin-1`);
    expect(await json('organization show external:twin-1')).toMatchObject({ organization_id: twins[0] });
  });

  test('a grant is revoked before it is answered, also where its account is disabled (RV-06)', async () => {
    const { grantId, statuses, userId } = await withGrants();
    const revoke = `grant revoke ${grantId} --reason "nobody needs it"`;
    expect(await json(revoke)).toMatchObject({ state: 'revoked' });
    expect(await statuses()).toEqual([401, 200]);
    expect(await json(revoke)).toMatchObject({ state: 'revoked' });
    const { events } = await service.store.read(grantStream(grantId));
    expect(events.at(-1)).toMatchObject({
      event: { type: 'GrantRevoked' },
      metadata: { reason: 'nobody needs it' },
    });
    await json(`user disable ${userId}`);
    expect(await statuses()).toEqual([401, 401]);
    const { items } = await json(`grant list --user ${userId}`);
    expect((items as readonly object[]).map((item) => 'state' in item && item.state)).toEqual([
      'revoked',
      'revoked',
    ]);
  });

  test.each([
    ['--unused-for long', '90d'],
    ['--state gone', 'active, revoked, expired'],
  ])('%s is a usage error that says what is allowed', async (args, allowed) => {
    const ran = await run(`grant list ${args}`);
    expect([ran.exitCode, ran.stderr]).toEqual([2, expect.stringContaining(allowed)]);
  });
});

test('AM-10: a list stays as wide as a terminal, with whole ids; show has the rest', async () => {
  const name = `Lantern ${'x'.repeat(70)} end`;
  const id = await service.organization(name);
  const { stdout } = await run('organization list --search Lantern');
  expect(stdout).toContain(id);
  expect(stdout).toContain(`${name.slice(0, 59)}… `);
  expect((await run(`organization show ${id}`)).stdout).toContain(name);
});

test('AM-11: a user is erased only when it is meant', async () => {
  const user = await service.user('eve');
  expect((await run(`user erase ${user} --json`)).exitCode).toBe(2);
  expect(await json(`user show ${user}`)).toMatchObject({ erased: false });
  expect(await json(`user erase ${user} --yes`)).toMatchObject({ user_id: user, erased: true });
  expect((await run(`profile erase --organization ${organization} P9 --json`)).exitCode).toBe(2);
});

test('AC-04: a token is made, listed and ended for a user who is named by an address', async () => {
  const user = await service.user('tess', '--administrator-of', organization);
  const made = await json('user token create --email tess@example.com --name audit');
  expect(made).toMatchObject({ user_id: user, made_by: 'break-glass', organization_id: null });
  const lifetime = Date.parse(String(made['expires_at'])) - Date.parse(String(made['issued_at']));
  expect(lifetime).toBe(30 * 86_400_000);
  const id = String(made['token_id']);
  expect(await json(`user token list --user ${user}`)).toMatchObject({
    user_id: user,
    tokens: [{ token_id: id }],
  });
  const revoke = `user token revoke ${id} --email tess@example.com --json`;
  expect(await run(revoke)).toMatchObject({ exitCode: 0, json: { token_id: id, revoked: true } });
  expect(await run(revoke)).toMatchObject({ exitCode: 1, json: { error: { code: 'token-unknown' } } });
});

test('DE-05: activation counts epochs, asking twice changes nothing, and people are told what is refused', async () => {
  const addon = await service.addon('Doors');
  const act = (verb: string) => json(`activation ${verb} ${where(addon)}`);
  expect(await act('show')).toMatchObject({ status: 'never-activated' });
  expect(await act('activate')).toMatchObject({ status: 'active', epoch: 1 });
  const receipt = await act('deactivate');
  expect(receipt).toMatchObject({
    status: 'deactivated',
    epoch: 1,
    position: expect.stringMatching(/^\d+\/\d+$/) as string,
    live_grants: 0,
    unredeemed_codes: 0,
    approvers: 0,
  });
  expect(await act('deactivate')).toMatchObject({ epoch: 1, position: receipt['position'] });
  expect(await act('activate')).toMatchObject({ status: 'active', epoch: 2 });
  const { stdout } = await run(`activation deactivate ${where(addon)}`);
  expect(stdout).toMatch(/is refused since \S+Z at the latest \(event \d+\/\d+\)/);
  expect(stdout).toContain('0 grants, approved by 0 people; 0 codes never exchanged');
  const sheet = (await run(`activation show ${where(addon)}`)).stdout;
  expect(sheet).toMatch(/^deactivated +\d{4}-\S+Z by break-glass$/m);
  expect(sheet).toMatch(/^live grants +0$/m);
  expect(sheet).toContain(`Quay (${organization})`);
});

test('SG-02, SG-12: the header of a push stream is read from standard input, and shown nowhere', async () => {
  const addon = await service.addon('Doors');
  const push = words(`signals create --addon ${addon} --endpoint-url http://127.0.0.1:9/signals`);
  const made = await service.runJson([...push, '--authorization-header'], 'Bearer hidden-from-all\n');
  expect(made).toMatchObject({ client_id: addon, method: 'push' });
  expect(JSON.stringify([made, await json('signals list')])).not.toContain('hidden');
  expect((await run(`signals replay ${String(made['stream_id'])} --after x`)).exitCode).toBe(2);
  expect((await run(`signals create --addon ${await service.addon('Open')}`)).exitCode).toBe(1);
});

test('AP-10: a role of a publisher says which, by its name, too', async () => {
  const { publisher_id: publisher } = await json('publisher create --name "Doors Ltd"');
  const user = await service.user('bea');
  const wrong = await run(`user grant-role ${user} --role publisher --json`);
  expect(wrong).toMatchObject({ exitCode: 1, json: { error: { code: 'publisher-missing' } } });
  await json(`user grant-role ${user} --role publisher --publisher "Doors Ltd"`);
  expect(await json(`publisher show ${String(publisher)}`)).toMatchObject({ members: [user] });
});
