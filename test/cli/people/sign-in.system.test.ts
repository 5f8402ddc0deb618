import { chmodSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { password, startServiceHere } from '../live-service.ts';
import type { Ran } from '../run-grantbook.ts';

const config = temporaryFolder();
const service = await startServiceHere();
const withConfig = { ...service.env, XDG_CONFIG_HOME: config };
const operator = await service.user('Olga', '--operator');
const auditor = await service.user('Aude', '--auditor');
await service.user('Nobody');
const organization = await service.organization('Quay');

/** As somebody who has a folder for tokens. */
const run = (...args: readonly string[]) => service.run([...args, '--json'], '', withConfig);
const logIn = (name: string, given = password) =>
  service.run(['login', '--email', `${name}@example.com`, '--json'], `${given}\n`, withConfig);
const as = (token: string, ...args: readonly string[]) =>
  service.run([...args, '--json'], '', { ...service.env, GRANTBOOK_TOKEN: token });
const refusal = ({ exitCode, json }: Ran) => [
  exitCode,
  (json['error'] as { readonly code?: string } | undefined)?.code,
];

/** Actors of an organization's events, the oldest first, and the actors of the questions about it. */
const actors = async (type: string, about = organization) => {
  const timeline = ['audit', 'timeline', '--organization', about, '--type', type];
  const { entries } = (await run(...timeline)).json as { entries: readonly { readonly actor: object }[] };
  return entries.map(({ actor }) => actor);
};

const breakGlassRuns = async (): Promise<number> => {
  const metrics = await (await fetch(`${service.baseUrl}/metrics`)).text();
  return Number(/^grantbook_break_glass_total (\d+)$/m.exec(metrics)?.[1]);
};

describe('HI-06: every act has a named actor', () => {
  test('who signed in is the actor of what they do, until they sign out', async () => {
    const signedIn = await logIn('Olga');
    expect(signedIn.json).toMatchObject({ user_id: operator, name: 'Olga', roles: ['operator'] });
    const folder = join(config, 'grantbook');
    const file = String(signedIn.json['file']);
    expect(readdirSync(folder)).toEqual([file.slice(folder.length + 1)]);
    expect([statSync(folder).mode & 0o777, statSync(file).mode & 0o777]).toEqual([0o700, 0o600]);
    expect(JSON.stringify(signedIn)).not.toContain(readFileSync(file, 'utf8').trim());

    const made = await run('organization', 'create', '--name', 'Pier');
    expect(made.stderr).toBe('');
    expect(await actors('OrganizationCreated', String(made.json['organization_id']))).toEqual([
      { kind: 'user', id: operator, name: 'Olga' },
    ]);
    expect((await run('whoami')).json).toEqual({ user_id: operator, name: 'Olga', roles: ['operator'] });

    const token = readFileSync(file, 'utf8').trim();
    expect((await run('logout')).json).toEqual({ user_id: operator, name: 'Olga', roles: ['operator'] });
    expect(readdirSync(folder)).toEqual([]);
    expect(refusal(await as(token, 'whoami'))).toEqual([1, 'token-unknown']);
    expect(refusal(await run('whoami'))).toEqual([1, 'not-signed-in']);
    expect(refusal(await run('logout'))).toEqual([1, 'not-signed-in']);
  });

  test('without a token a command works, as break-glass, which is warned of once and counted', async () => {
    const before = await breakGlassRuns();
    const addon = ['addon', 'register', '--name', 'Doors', '--redirect-uri', 'https://addon.example/cb'];
    const registered = await service.run([
      ...addon,
      '--configuration-url',
      'https://addon.example/',
      '--json',
    ]);
    const both = ['--organization', organization, '--addon', String(registered.json['client_id'])];
    const activated = await service.run(['activation', 'activate', ...both, '--json']);
    for (const { exitCode, stderr } of [registered, activated])
      expect([exitCode, stderr.match(/break-glass/g)?.length]).toEqual([0, 1]);
    expect(await actors('AddonActivated')).toEqual([{ kind: 'break-glass' }]);
    expect(await actors('AuditQueried')).toContainEqual({ kind: 'break-glass' });
    const shown = await service.run(['activation', 'show', ...both, '--json']);
    expect(shown.stderr).toBe('');
    expect(shown.json['activated_by']).toBe('break-glass');
    // Two questions, the registration and the activation: what only looks is not counted.
    await expect.poll(breakGlassRuns).toBe(before + 4);
  });

  test('a token of an operator names its user and the token, and wins over who signed in', async () => {
    await logIn('Olga');
    const other = await service.user('Otto', '--operator');
    const token = await service.token(other);
    const made = await service.run(['organization', 'create', '--name', 'Mole', '--json'], '', {
      ...withConfig,
      GRANTBOOK_TOKEN: token,
    });
    const timeline = ['audit', 'timeline', '--organization', String(made.json['organization_id'])];
    expect((await run(...timeline, '--type', 'OrganizationCreated')).json['entries']).toMatchObject([
      { actor: { kind: 'user', id: other, name: 'Otto' }, token_id: expect.stringMatching(/^\w{26}$/) },
    ]);
    await run('logout');
  });

  test('what no operator may use is refused with what is wrong with it, and nothing is done as break-glass', async () => {
    const tried = async (token: string) => {
      const ran = await as(token, 'organization', 'create', '--name', 'Nowhere');
      expect([ran.exitCode, ran.stderr]).toEqual([1, '']);
      return (ran.json['error'] as { readonly code: string }).code;
    };
    const administrator = await service.user('Adam', '--administrator-of', organization);
    const leaving = await service.user('Lea', '--operator', '--administrator-of', organization);
    const token = await service.token(leaving);
    expect(await tried('mkt_admin_nonsense')).toBe('token-unknown');
    expect(await tried(await service.token(administrator))).toBe('not-an-operator');
    expect(await tried(await service.token(leaving, '--organization', organization))).toBe(
      'token-for-one-organization',
    );
    const bound = await service.token(leaving, '--organization', organization);
    for (const args of [['projections', 'status'], ['migrate'], ['doctor'], ['audit', 'head']])
      expect([args, refusal(await as(bound, ...args))]).toEqual([args, [1, 'token-for-one-organization']]);
    expect((await as(token, 'whoami')).json).toMatchObject({ name: 'Lea' });
    await service.runJson(['user', 'disable', leaving]);
    expect(await tried(token)).toBe('account-disabled');
    await service.runJson(['user', 'enable', leaving]);
    expect(await tried(token)).toBe('token-revoked');
  });

  test('only an operator or an auditor signs in, with the right password; other users must not read the file', async () => {
    expect(refusal(await logIn('Nobody'))).toEqual([1, 'not-an-operator']);
    expect(refusal(await logIn('Olga', 'something else'))).toEqual([1, 'wrong-credentials']);
    expect(readdirSync(join(config, 'grantbook'))).toEqual([]);
    const { file } = (await logIn('Olga')).json;
    chmodSync(String(file), 0o644);
    expect(refusal(await run('addon', 'list'))).toEqual([1, 'token-readable']);
    chmodSync(String(file), 0o600);
    await service.runJson(['user', 'set-password', operator], `${password}\n`);
    expect(refusal(await run('addon', 'list'))).toEqual([1, 'token-revoked']);
    expect((await run('logout')).json).toMatchObject({ user_id: null });
  });

  test('an auditor asks about the organizations that were given to the account, and changes nothing', async () => {
    await logIn('Aude');
    expect((await run('whoami')).json).toMatchObject({ user_id: auditor, roles: ['auditor'] });
    const timeline = ['audit', 'timeline', '--organization', organization];
    expect(refusal(await run(...timeline))).toEqual([1, 'not-your-organization']);
    expect(refusal(await run('organization', 'create', '--name', 'Mine'))).toEqual([1, 'not-an-operator']);
    await service.runJson(['organization', 'add-auditor', '--organization', organization, '--user', auditor]);
    const asked = await run(...timeline);
    expect([asked.exitCode, asked.stderr]).toEqual([0, '']);
    await run('logout');
    expect(await actors('AuditQueried')).toContainEqual({ kind: 'user', id: auditor, name: 'Aude' });
  });
});
