import { spawn } from 'node:child_process';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { packageRoot, packageVersion } from '../../../src/process/package-root.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { startServiceHere } from '../live-service.ts';

const folder = temporaryFolder();
const service = await startServiceHere();
const token = await service.token(await service.user('olga', '--operator'));

let counter = 0;
/** Runs the built command line in a folder of its own, and says which modules it has loaded (by V8's own list). */
const run = async (
  program: 'grantbook' | 'remote/main',
  args: readonly string[],
  more: Readonly<Record<string, string>> = {},
) => {
  counter += 1;
  const coverage = join(folder, `coverage-${counter}`);
  const child = spawn(process.execPath, [join(packageRoot, `dist/src/cli/${program}.js`), ...args], {
    cwd: folder,
    env: { PATH: process.env['PATH'], HOME: folder, NODE_V8_COVERAGE: coverage, ...more },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let [stdout, stderr] = ['', ''];
  child.stdout.on('data', (data: Buffer) => (stdout += data.toString()));
  child.stderr.on('data', (data: Buffer) => (stderr += data.toString()));
  const exitCode = await new Promise((resolve) => child.once('close', resolve));
  const modules = readdirSync(coverage).flatMap((file) =>
    (
      JSON.parse(readFileSync(join(coverage, file), 'utf8')) as { result: readonly { url: string }[] }
    ).result.map(({ url }) => url),
  );
  return { exitCode, stdout, stderr, modules };
};

const ofService =
  /\/node_modules\/(?:pg|@eventstore|@grpc|fastify|@fastify|kafkajs|pino|openid-client|nodemailer|undici|eta|@opentelemetry|@node-rs)\/|\/dist\/src\/(?:commands|compose|embedded|federation|http|kafka|mail|observability|personal|projections|reactions|signals|signing)\//;

describe('AP-08: the command line over the API, as a process', () => {
  test.each([
    ['grantbook', ['--server', service.baseUrl]],
    ['remote/main', [`--server=${service.baseUrl}`]],
  ] as const)('FX-87: %s reads no .env of the folder', async (program, given) => {
    writeFileSync(join(folder, '.env'), `GRANTBOOK_TOKEN=${token}\nEVENTSTORE_URL=esdb://elsewhere\n`);
    onTestFinished(() => rmSync(join(folder, '.env')));
    const { exitCode, stdout } = await run(program, ['whoami', '--json', ...given]);
    expect([exitCode, JSON.parse(stdout)]).toMatchObject([
      1,
      { error: { code: expect.any(String) as string } },
    ]);
    const known = await run(program, ['whoami', '--json', ...given], { GRANTBOOK_TOKEN: token });
    expect([known.exitCode, known.stderr]).toEqual([0, '']);
  });

  test.each([
    ['grantbook', { GRANTBOOK_TOKEN: token, GRANTBOOK_SERVER: service.baseUrl }, []],
    ['grantbook', { GRANTBOOK_TOKEN: token }, ['--server', service.baseUrl]],
    ['remote/main', { GRANTBOOK_TOKEN: token }, [`--server=${service.baseUrl}`]],
  ] as const)(
    '%s does tasks without keys and databases, and loads nothing of the service',
    async (program, env, given) => {
      const name = `${program} ${given.length}`;
      const made = await run(program, [...given, 'organization', 'create', '--name', name, '--json'], env);
      expect([made.exitCode, made.stderr]).toEqual([0, '']);
      const id = (JSON.parse(made.stdout) as { readonly organization_id: string }).organization_id;
      const seen: string[] = [];
      const here = await service.run(['organization', 'show', id, '--json']);
      for (const args of [
        ['organization', 'show', id, '--json'],
        ['audit', 'head', '--json'],
        ['whoami', '--json'],
      ]) {
        const there = await run(program, [...args, ...given], env);
        expect(there.modules.filter((url) => ofService.test(url))).toEqual([]);
        expect(there.modules.filter((url) => url.includes('/dist/src/')).length).toBeGreaterThan(10);
        seen.push(there.stdout);
      }
      expect(seen[0]).toBe(here.stdout);
      expect(readdirSync(folder)).not.toContain('.grantbook');
    },
  );

  test('no command starts an embedded server, and none is loaded', async () => {
    const ran = await run('grantbook', ['doctor', '--json'], { GRANTBOOK_SERVER: service.baseUrl });
    expect([ran.exitCode, ran.stdout]).toEqual([1, expect.stringContaining('needs-servers')]);
    expect(ran.modules.filter((url) => ofService.test(url))).toEqual([]);
    expect(readdirSync(folder)).not.toContain('.grantbook');
  });

  test('help and version are there without a service', async () => {
    expect((await run('remote/main', ['--version'])).stdout).toContain(packageVersion);
    expect((await run('remote/main', ['--help'])).stdout).toContain('--server URL');
    const lost = await run('remote/main', ['addon', 'list']);
    expect([lost.exitCode, lost.stderr]).toEqual([
      2,
      expect.stringContaining('--server or GRANTBOOK_SERVER'),
    ]);
  });
});
