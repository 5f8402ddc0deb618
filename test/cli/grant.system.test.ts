import { describe, expect, test } from 'vitest';
import { authorize } from './authorize.ts';
import { startServiceHere } from './live-service.ts';

const service = await startServiceHere();
const organization = await service.organization('Quay');
const addon = await service.addon('Doors');
const user = await service.user('greta');
await service.run(['activation', 'activate', '--organization', organization, '--addon', addon]);

type Item = Readonly<Record<string, unknown>>;
const list = async (...args: readonly string[]) =>
  (await service.runJson(['grant', 'list', ...args])) as {
    readonly items: readonly Item[];
    readonly next: string | null;
  };
const ids = async (...args: readonly string[]) => (await list(...args)).items.map((item) => item['grant_id']);

describe('grantbook grant', () => {
  test('says who allowed what, in which state it is, and ends it before it answers (RV-06)', async () => {
    const shared = await authorize(service, { addon, organization, user });
    const own = await authorize(service, { addon, user });
    expect((await shared.list('profiles')).status).toBe(200);

    expect(await ids('--user', user)).toEqual([shared.grantId, own.grantId]);
    expect(await ids('--organization', organization)).toEqual([shared.grantId]);
    expect(await ids('--addon', addon, '--state', 'active')).toEqual([shared.grantId, own.grantId]);
    expect(await ids('--unused-for', '90d')).toEqual([]);
    expect(await ids('--unused-for', '0s')).toEqual([shared.grantId, own.grantId]);
    expect(await ids('--user', user, '--organization', organization)).toEqual([shared.grantId]);
    expect(await ids('--user', organization, '--addon', addon)).toEqual([]);
    const page = await list('--addon', addon, '--limit', '1');
    expect([page.items.length, page.next]).toEqual([1, shared.grantId]);
    expect(await list('--addon', addon, '--limit', '1', '--after', String(page.next))).toMatchObject({
      items: [{ grant_id: own.grantId, organization_id: null }],
      next: null,
    });

    const shown = {
      grant_id: shared.grantId,
      client_id: addon,
      organization_id: organization,
      user_id: user,
      scopes: ['profiles:read'],
      state: 'active',
      issued_at: expect.stringMatching(/Z$/) as string,
      last_token_at: expect.stringMatching(/Z$/) as string,
    };
    const { last_read_at: lastRead, ...first } = await service.runJson(['grant', 'show', shared.grantId]);
    expect(lastRead === null || typeof lastRead === 'string').toBe(true);
    expect(first).toEqual(shown);

    const revoke = ['grant', 'revoke', shared.grantId, '--reason', 'nobody needs it'];
    expect(await service.runJson(revoke)).toMatchObject({ ...shown, state: 'revoked' });
    expect((await shared.list('profiles')).status).toBe(401);
    expect(await shared.lastEvent()).toBe('GrantRevoked');
    expect((await own.list('profiles')).status).toBe(200);
    expect(await service.runJson(revoke)).toMatchObject({ state: 'revoked' });
    expect(await ids('--state', 'revoked')).toEqual([shared.grantId]);
    expect(await ids('--state', 'active')).toEqual([own.grantId]);

    const timeline = await service.runJson(['audit', 'timeline', '--grant', shared.grantId]);
    const ends = (timeline['entries'] as readonly Item[]).filter(({ type }) => type === 'GrantRevoked');
    expect(ends).toMatchObject([{ actor: { kind: 'break-glass' } }]);
    expect(JSON.stringify(ends)).toContain('an operator or administrator revoked it: nobody needs it');
  });

  test('AP-09: a table shows names with their ids, and an id may be a name or an address', async () => {
    const gina = await service.user('gina');
    const wharf = await service.organization('Wharf Nine');
    const gates = await service.addon('Gates Nine');
    await service.run(['activation', 'activate', '--organization', 'Wharf Nine', '--addon', 'Gates Nine']);
    const { grantId } = await authorize(service, { addon: gates, organization: wharf, user: gina });
    const named = ['--addon', 'Gates Nine', '--organization', 'Wharf Nine', '--user', 'gina@example.com'];
    expect(await ids(...named)).toContain(grantId);
    const { stdout } = await service.run([
      'grant',
      'list',
      ...named,
      '--columns',
      'grant_id,client_id,organization_id,user_id',
    ]);
    const rows = stdout.split('\n');
    const at = rows.findIndex((row) => row.startsWith(grantId));
    expect(rows[at]).toMatch(/^\w{26} {2}Gates Nine {18}Wharf Nine {18}gina$/);
    expect(rows[at + 1]).toBe(`${' '.repeat(28)}${gates}  ${wharf}  ${gina}`);
    expect(rows.join('')).not.toMatch(/[─│┼]/);
    const sheet = (await service.run(['grant', 'show', grantId])).stdout;
    expect(sheet).toMatch(
      new RegExp(`Gates Nine \\(${gates}\\)[^]*Wharf Nine \\(${wharf}\\)[^]*gina \\(${gina}\\)`),
    );
    const activation = ['activation', 'show', '--organization', wharf, '--addon', gates];
    expect((await service.run(activation)).stdout).toContain(`Wharf Nine (${wharf})`);
    expect((await service.runJson(['user', 'show', 'gina@example.com']))['user_id']).toBe(gina);
    const twins = [await service.organization('Twin'), await service.organization('Twin')];
    const ambiguous = await service.run(['organization', 'show', 'Twin', '--json']);
    expect([ambiguous.exitCode, ambiguous.json]).toMatchObject([
      1,
      { error: { code: 'name-ambiguous', candidates: twins.map((id) => ({ id, name: 'Twin' })) } },
    ]);
    expect((await service.run(['organization', 'show', 'Twin'])).stderr).toContain(twins[1]);
    await service.run(['organization', 'set-external-id', twins[0] ?? '', 'twin-1']);
    expect(await service.runJson(['organization', 'show', 'external:twin-1'])).toMatchObject({
      organization_id: twins[0],
    });
    expect(await service.runJson(['audit', 'timeline', '--organization', 'Wharf Nine'])).toMatchObject({
      about: { id: wharf },
    });
    await service.run(['grant', 'revoke', grantId]);
  });

  test('a grant whose account was disabled is revoked at once', async () => {
    const own = await authorize(service, { addon, user });
    expect(await service.runJson(['user', 'disable', user])).toMatchObject({ disabled: true });
    expect(await service.runJson(['grant', 'show', own.grantId])).toMatchObject({ state: 'revoked' });
  });

  test.each([
    [['--unused-for', 'long'], '90d'],
    [['--state', 'gone'], 'active, revoked, expired'],
  ])('%j is a usage error that says what is allowed', async (args, allowed) => {
    const ran = await service.run(['grant', 'list', ...args]);
    expect([ran.exitCode, ran.stderr]).toEqual([2, expect.stringContaining(allowed)]);
  });
});
