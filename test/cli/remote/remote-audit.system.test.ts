import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { auditQuestions } from '../../../src/tasks/audit-questions.ts';
import { connectFrom } from '../../../src/cli/base/connect.ts';
import { withClient } from '../../../src/common/with-client.ts';
import { singleNamesOf } from '../../../src/http/contracts/parameters.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { runGrantbook, type Ran } from '../run-grantbook.ts';
import { words } from '../../support/words.ts';
import { startServiceHere } from '../live-service.ts';
import { runOverApi } from './run-remote.ts';

const folder = temporaryFolder();
const service = await startServiceHere();
const operator = await service.user('olga', '--operator');
const organization = await service.organization('Quay');
const other = await service.organization('Pier');
const appointing = ['organization', 'add-administrator', '--organization', organization];
await service.run([...appointing, '--user', operator]);
const auditor = await service.user('aude', '--auditor', '--auditor-of', organization);
const addon = await service.addon('Doors');
await service.run(['activation', 'activate', '--organization', organization, '--addon', addon]);
await service.run(['activation', 'deactivate', '--organization', organization, '--addon', addon]);
const head = join(folder, 'head.json');
await service.run(['audit', 'head', '--sign', '-o', head]);
const token = { operator: await service.token(operator), auditor: await service.token(auditor) };
type Who = keyof typeof token;

/** On the servers, which are opened once for all commands of somebody. */
const open = async (as: Who) => {
  const env = { ...service.env, GRANTBOOK_TOKEN: token[as] };
  const opened = await connectFrom({ env, stderr: process.stderr }).openService('auditor');
  afterAll(() => opened.close());
  const openService = () => Promise.resolve({ ...opened, close: () => Promise.resolve() });
  return (args: readonly string[]) => runGrantbook(['audit', ...args], { env, openService });
};
const onServers = { operator: await open('operator'), auditor: await open('auditor') };
const overApi = (args: readonly string[], as: Who = 'operator') =>
  runOverApi(service.baseUrl, ['audit', ...args], { env: { GRANTBOOK_TOKEN: token[as] } });

const ask = async (args: readonly string[], as: Who = 'operator') => ({
  servers: said(await onServers[as](args)),
  api: said(await overApi(args, as)),
});
/** Without what is new in each answer: the record of the question before. */
const said = ({ exitCode, stdout, stderr }: Ran) => ({
  exitCode,
  stdout: stdout.replace(/("up_to":")\d+\/\d+/, '$1'),
  stderr,
});
const today = new Date().toISOString().slice(0, 10);
const about = ['--organization', organization];
const later = '2100-01-01';

describe('AP-08: auditors’ questions over the API are answered as on the servers', () => {
  const [from, moment] = ['2020-01-01', new Date().toISOString()];
  test.each([
    ['as-of', ...about, '--at', moment],
    ['exposure', ...about, '--addon', addon, '--from', from, '--to', moment],
  ])('FX-58: %s is computed once for both', async (...args) => {
    const computed = () =>
      withClient({ connectionString: service.env['DATABASE_URL'] }, async (database) => {
        const text = 'select id, holder from prepared_answers order by id';
        return (await database.query<object>(text)).rows;
      });
    const before = await computed();
    const servers = await onServers.operator([...args, '--json']);
    const kept = await computed();
    expect([servers.exitCode, kept.length]).toEqual([0, before.length + 1]);
    const api = await overApi([...args, '--json'], 'auditor');
    expect([said(api), await computed()]).toEqual([said(servers), kept]);
  });

  test.each([
    ['timeline', ...about, '--limit', '5'],
    [
      'timeline',
      ...about,
      ...words(`--type AddonActivated AddonDeactivated --from 2020-01-01 --to ${today}`),
    ],
    ['timeline', ...about, '--before', 'end', '--limit', '1', '--type', 'AddonActivated'],
    ['timeline', '--addon', addon, '--type', 'AddonRegistered', 'AddonActivated'],
    ['timeline', '--grant', '01K9RZ3Q5V0000000000000003'],
    ['timeline', ...about, '--from', later, '--to', later],
    ['replay', `organization-${organization}`],
    ['replay', `organization-${organization}`, '--until', '0'],
    ['replay', `organization-${organization}`, '--until', '999'],
    ['replay', `organization-${organization}`, '--until', '1/1'],
    ['replay', 'organization-01K9RZ3Q5V0000000000000003'],
    ['as-of', ...about, '--at', '2020-01-01'],
    ['as-of', ...about, '--at', later],
    ['as-of', ...about, '--position', '1/1'],
    ['exposure', ...about, '--addon', addon, '--from', '2020-01-01', '--to', '2020-01-02'],
    ['exposure', ...about, '--addon', 'unknown', '--from', '2020-01-01', '--to', '2020-01-02'],
    ['deposits'],
    ['head'],
  ])('audit %s %s %s %s %s', async (...args) => {
    for (const { servers, api } of [await ask(args), await ask([...args, '--json'], 'auditor')])
      expect(api).toEqual(servers);
  });

  test.each([
    ['timeline'],
    ['timeline', ...about, '--addon', addon],
    ['timeline', ...about, '--limit', '0'],
    ['as-of', ...about],
    ['replay', 'nonsense'],
  ])('what is wrong with a command is said before the service is asked: audit %s %s', async (...args) => {
    const { servers, api } = await ask([...args, '--json']);
    expect(api).toEqual(servers);
    expect(api.exitCode).toBe(2);
  });

  test.each([
    ['timeline', ...about, ...words('--actor olga@example.com --type AuditQueried'), 'AuditQueried'],
    ['timeline', '--actor', 'OLGA@example.com', 'AuditQueried'],
    ['timeline', '--organization', 'Quay', '--addon', 'Doors', 'exactly one of'],
    words('exposure --organization Quay --addon Doors --from 2020-01-01 --to 2020-01-02 Quay'),
    ['timeline', ...about, '--actor', 'addon:Doors', 'Quay'],
    ['timeline', ...about, '--actor', 'ada@example.com', 'user-unknown'],
    ['timeline', ...about, '--actor', 'addon:nothing', 'addon-unknown'],
  ])('AP-09: names stand in place of ids, also of who acted: audit %s %s %s %s %s', async (...args) => {
    const shown = args.pop() ?? '';
    const { servers, api } = await ask([...args, '--limit', '3', '--json']);
    expect(api).toEqual(servers);
    expect(api.stdout).toContain(shown);
    // A name that is nobody's may be personal, and a question is recorded.
    const last = await ask([
      ...words('timeline --type AuditQueried --before end --limit 2 --json'),
      ...about,
    ]);
    expect(last.api.stdout).not.toMatch(/@example|addon:(?:Doors|nothing)/);
  });

  test('an auditor asks about an organization of theirs alone, and each question is recorded with who asked', async () => {
    const { servers, api } = await ask(['timeline', '--organization', other, '--json'], 'auditor');
    expect(api).toEqual(servers);
    expect(api.stdout).toContain('not-your-organization');
    const asked = ['timeline', ...about, ...words('--type AuditQueried --before end --limit 1 --json')];
    const { entries } = JSON.parse((await ask(asked, 'auditor')).api.stdout) as {
      entries: readonly { actor: object; token_id: string }[];
    };
    expect(entries[0]?.actor).toMatchObject({ kind: 'user', id: auditor });
    expect(entries[0]?.token_id).toMatch(/^[0-9A-Z]{26}$/);
  });

  test('an export comes as it is written, can be verified, and proves that it is in the log of a head', async () => {
    const file = join(folder, 'export.ndjson');
    const args = ['export', ...about, '-o', file, '--head', head, '--json'];
    const ran = await overApi(args, 'auditor');
    expect(ran.json).toMatchObject({ file, organization, exported_by: auditor });
    const here = join(folder, 'here.ndjson');
    const { until, exported_at: _, file: __, ...same } = ran.json;
    const options = ['-o', here, '--head', head, '--until', String(until), '--json'];
    const local = await onServers.auditor(['export', ...about, ...options]);
    expect(local.json).toMatchObject({ events: same['events'], chain: same['chain'], last: same['last'] });
    expect(readFileSync(file, 'utf8').split('\n').slice(0, -2)).toEqual(
      readFileSync(here, 'utf8').split('\n').slice(0, -2),
    );
    expect((await runGrantbook(['audit', 'verify', file, '--head', head, '--json'])).json).toMatchObject({
      ok: true,
    });
    const again = await overApi(args, 'auditor');
    expect(again.stdout).toContain('file-exists');
    const forged = join(folder, 'none.ndjson');
    const unknown = words(`export --organization 01K9RZ3Q5V0000000000000003 -o ${forged} --json`);
    expect((await overApi(unknown)).stdout).toContain('organization-unknown');
  });

  test('what signs, or reads the whole log, needs the servers', async () => {
    for (const args of [['head', '--sign'], ['check-log']])
      expect((await overApi([...args, '--json'])).stdout).toContain('needs-servers');
  });

  const get = async (query: string) =>
    (
      await fetch(`${service.baseUrl}/operator/api/audit/${query}`, {
        headers: { authorization: `Bearer ${token.operator}` },
      })
    ).json() as Promise<{ status: number; detail: string }>;

  test('G-04: each parameter that is sent twice is refused, although both are alike', async () => {
    for (const [question, table] of Object.entries(auditQuestions))
      for (const name of singleNamesOf(table))
        expect([question, await get(`${question}?${name}=1&${name}=1`)]).toMatchObject([
          question,
          { status: 400, detail: expect.stringContaining(`${name} is invalid`) as string },
        ]);
  });

  test('the endpoint names a parameter that is wrong or unknown', async () => {
    expect(await get('timeline?limit=0&organization=x')).toMatchObject({
      status: 400,
      detail: 'limit is invalid. Allowed is a whole number from 1 to 1000.',
    });
    expect((await get('timeline?organisation=x')).detail).toContain('organisation is invalid');
    expect((await get('as-of?organization=x&organization=y&at=2020-01-01')).detail).toContain(
      'organization is invalid',
    );
  });
});
