import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { authorize } from '../authorize.ts';
import { startServiceHere } from '../live-service.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { words } from '../../support/words.ts';

const folder = temporaryFolder();
const service = await startServiceHere();
const organization = await service.organization('Quay');

const register = () => service.addon('Doors', '--reason', 'a pilot');
const activate = (addon: string) =>
  service.runJson(['activation', 'activate', '--organization', organization, '--addon', addon]);
const update = (addon: string, ...options: string[]) =>
  service.runJson(['addon', 'update', addon, ...options]);
/** A grant for the organization, and one of a user's own records. */
const authorizeBoth = async (addon: string) => [
  await authorize(service, { addon, organization }),
  await authorize(service, { addon }),
];
const file = (name: string, bytes: Buffer): string => {
  const path = join(folder, name);
  writeFileSync(path, bytes);
  return path;
};

describe('addon update', () => {
  test('AM-12: changes what is given, and answers the add-on as `addon show` does', async () => {
    const addon = await register();
    const png = Buffer.from('89504e470d0a1a0a00', 'hex');
    const changes = [
      '--name Gate --configuration-url https://addon.example/set-up',
      '--add-redirect-uri https://addon.example/two --remove-redirect-uri https://addon.example/cb',
      `--scope profiles:read --logo ${file('logo.png', png)} --publisher "Gates Ltd"`,
      '--website https://gates.example/ --privacy-url https://gates.example/privacy',
      '--support-url https://gates.example/help --add-post-logout-redirect-uri https://addon.example/out',
      '--add-audience https://api.example/ --reason "a new home"',
    ];
    const json = await update(addon, ...words(changes.join(' ')));
    expect(json).toMatchObject({
      client_id: addon,
      name: 'Gate',
      redirect_uris: ['https://addon.example/two'],
      configuration_url: 'https://addon.example/set-up',
      scopes: ['profiles:read'],
      post_logout_redirect_uris: ['https://addon.example/out'],
      allowed_audiences: ['https://api.example/'],
      publisher: 'Gates Ltd',
      website: 'https://gates.example/',
      privacy_url: 'https://gates.example/privacy',
      support_url: 'https://gates.example/help',
      has_logo: true,
      suspended: false,
      retired: false,
    });
    expect(await service.runJson(['addon', 'show', addon])).toEqual(json);
    const { stdout } = await service.run(['audit', 'timeline', '--addon', addon]);
    for (const part of ['a pilot', 'was changed: it is now called "Gate"', 'a new home', 'it has a new logo'])
      expect(stdout).toContain(part);
  });

  test('AM-12: a logo that is no picture, and an add-on that does not exist, are refused', async () => {
    const addon = await register();
    const svg = file('logo.svg', Buffer.from('<svg onload="alert(1)"/>'));
    const wrong = await service.run(['addon', 'update', addon, '--logo', svg, '--json']);
    expect([wrong.exitCode, wrong.stdout]).toEqual([1, expect.stringContaining('PNG, JPEG or WebP')]);
    const large = file(
      'large.png',
      Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), Buffer.alloc(300_000)]),
    );
    const refused = await service.run(['addon', 'update', addon, '--logo', large, '--json']);
    expect([refused.exitCode, JSON.parse(refused.stdout)]).toMatchObject([
      1,
      { error: { problems: [{ field: 'logo', message: 'must have at most 65536 bytes' }] } },
    ]);
    const missing = await service.run(['addon', 'update', addon, '--logo', join(folder, 'none'), '--json']);
    expect([missing.exitCode, missing.stdout]).toEqual([1, expect.stringContaining('logo-unreadable')]);
    const unknown = await service.run(['addon', 'update', organization, '--name', 'Gate', '--json']);
    expect([unknown.exitCode, unknown.stdout]).toEqual([1, expect.stringContaining('addon-unknown')]);
    const nothing = await service.run(['addon', 'update', addon, '--json']);
    expect(nothing.exitCode).toBe(2);
  });

  test('CL-08, FX-26: a new name that looks like that of another add-on needs --force; the very same name is reported', async () => {
    const [other, addon] = [await register(), await register()];
    await update(other, '--name', 'Slipway');
    const rename = (...options: string[]) =>
      service.run(['addon', 'update', addon, ...options, '--reason', 'asked']);
    const refused = await rename('--name', 'Ѕlipway', '--json');
    expect([refused.exitCode, JSON.parse(refused.stdout)]).toMatchObject([
      1,
      { error: { code: 'name-looks-alike', problems: [{ field: 'name' }] } },
    ]);
    expect(refused.stdout).toContain(other);
    expect(await service.runJson(['addon', 'show', addon])).toMatchObject({ name: 'Doors' });
    expect((await rename('--name', 'Ѕlipway', '--force')).exitCode).toBe(0);
    expect((await rename('--name', 'Ѕlipway', '--publisher', 'Boats Ltd')).exitCode, 'its own').toBe(0);
    const same = await rename('--name', 'Slipway');
    expect([same.exitCode, same.stdout]).toEqual([
      0,
      expect.stringContaining(`Changed. Another add-on has the same name: ${other}.`),
    ]);
  });

  test('AM-12: grants keep a removed scope until --apply-to-grants ends them, with a receipt for each organization', async () => {
    const addon = await register();
    await activate(addon);
    const grants = await authorizeBoth(addon);
    await update(addon, '--scope', 'reservations:read');
    for (const grant of grants) expect((await grant.list('profiles')).status).toBe(200);

    const receipts = [
      { organization_id: organization, client_id: addon, revoked_grants: 1 },
      { organization_id: null, client_id: addon, revoked_grants: 1 },
    ];
    expect((await update(addon, '--apply-to-grants'))['receipts']).toEqual(receipts);
    for (const grant of grants) {
      expect((await grant.list('profiles')).status).toBe(401);
      expect(await grant.lastEvent()).toBe('GrantRevoked');
    }
    expect((await update(addon, '--apply-to-grants'))['receipts'], 'again').toEqual(receipts);
    expect((await update(await register(), '--apply-to-grants'))['receipts']).toEqual([]);
  });
});

test('AM-14: `addon list` pages and finds add-ons by starts of words', async () => {
  const made: string[] = [];
  for (const name of ['Zebra Crossing', 'Ångström Meter', 'Zebra Meter'])
    made.push(await service.addon(name));
  const list = (...options: string[]) => service.runJson(['addon', 'list', ...options]);
  const ids = (json: Readonly<Record<string, unknown>>) =>
    (json['items'] as readonly { readonly client_id: string }[]).map(({ client_id: id }) => id);
  const [zebra = '', angstrom = '', other = ''] = made;
  expect(ids(await list('--search', 'ZEB'))).toEqual([zebra, other]);
  const first = await list('--search', 'meter', '--limit', '1');
  expect([ids(first), first['next']]).toEqual([[angstrom], angstrom]);
  const second = await list('--search', 'meter', '--limit', '1', '--after', angstrom);
  expect([ids(second), second['next']]).toEqual([[other], null]);
  const sorted = await list('--search', 'meter', '--sort', '-name', '--limit', '1');
  expect(ids(sorted)).toEqual([other]);
  const after = String(sorted['next']);
  expect(ids(await list('--search', 'meter', '--sort', '-name', '--after', after))).toEqual([angstrom]);
  const wrong = await service.run(['addon', 'list', '--after', after, '--json']);
  expect([wrong.exitCode, JSON.parse(wrong.stdout)]).toMatchObject([
    1,
    { error: { problems: [{ field: 'after', message: 'the next of an answer with the same sort' }] } },
  ]);
  const all = await list();
  expect(Object.keys(all), 'FX-36: each add-on once').toEqual(['items', 'next']);
  expect((all['items'] as readonly unknown[])[0]).toEqual(
    await service.runJson(['addon', 'show', ids(all)[0] ?? '']),
  );
});

describe('addon retire', () => {
  test('AM-12: permanently ends everything, with receipts, also when it is run again', async () => {
    const addon = await register();
    await activate(addon);
    const grants = await authorizeBoth(addon);
    const json = await service.runJson(['addon', 'retire', addon, '--reason', 'its provider is gone']);
    expect(json).toMatchObject({
      client_id: addon,
      suspended: false,
      retired: true,
      receipts: [
        // The reaction may have been there before the call that retired it.
        {
          organization_id: organization,
          client_id: addon,
          epoch: 1,
          repeated: expect.any(Boolean) as boolean,
        },
        { organization_id: null, client_id: addon, revoked_grants: 1 },
      ],
    });
    for (const grant of grants) expect((await grant.list('profiles')).status).toBe(401);
    const again = await service.runJson(['addon', 'retire', addon]);
    expect(again['receipts']).toMatchObject([
      { organization_id: organization, epoch: 1, repeated: true },
      { organization_id: null, revoked_grants: 1 },
    ]);

    const where = ['--organization', organization, '--addon', addon, '--json'];
    for (const args of [
      ['addon', 'resume', addon, '--json'],
      ['addon', 'suspend', addon, '--json'],
      ['addon', 'update', addon, '--name', 'Gate', '--json'],
      ['activation', 'activate', ...where],
    ]) {
      const { exitCode, stdout } = await service.run(args);
      expect([exitCode, stdout]).toEqual([1, expect.stringContaining('addon-retired')]);
    }
    const { stdout } = await service.run(['audit', 'timeline', '--addon', addon]);
    for (const part of ['was permanently retired', 'its provider is gone']) expect(stdout).toContain(part);
    expect((await service.run(['addon', 'list'])).stdout).toContain('retired');
    const response = await fetch(`${service.baseUrl}/oauth/token`, {
      method: 'POST',
      body: new URLSearchParams({ grant_type: 'refresh_token', client_id: addon, refresh_token: 'x' }),
    });
    expect([response.status, await response.json()]).toMatchObject([401, { error: 'invalid_client' }]);
  });
});
