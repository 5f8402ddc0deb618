import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, cpSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished, expect, test } from 'vitest';
import { freshDatabase } from '../../packages/eventstore-node/test/support/databases.ts';
import { packageRoot } from '../../src/process/package-root.ts';
import { freePort } from '../support/servers/free-port.ts';
import { endInstance, readyInstance } from '../support/servers/instance.ts';
import { startTestServers } from '../support/test-servers.ts';
import { sharedSettings } from '../support/shared-settings.ts';
import { untilWeDie } from '../support/servers/until-we-die.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { words } from '../support/words.ts';

const dockerfile = readFileSync(join(packageRoot, 'Dockerfile'), 'utf8').replaceAll('\\\n', ' ');
const lastStage = dockerfile.slice(dockerfile.lastIndexOf('\nFROM '));

/** Copies what the Dockerfile copies, of what it keeps, as there is no engine for containers here. */
const layOut = (folder: string) => {
  const isKept = (path: string) =>
    !/\.map$|\.tsbuildinfo$/.test(path) &&
    !/\/packages\/(remote|[^/]+\/(src|test|node_modules))(\/|$)/.test(path);
  for (const [, from = '', to = ''] of lastStage.matchAll(/^COPY (?:--from=build )?(\S+) (\S+)$/gm)) {
    if (from.startsWith('--')) continue; // the installed packages
    const source = join(packageRoot, from.replace('/app/', ''));
    const target = to === './' ? join(folder, source.slice(source.lastIndexOf('/') + 1)) : join(folder, to);
    cpSync(source, target, { recursive: true, filter: isKept });
  }
  const modules = join(packageRoot, 'node_modules');
  mkdirSync(join(folder, 'node_modules'));
  for (const name of readdirSync(modules))
    if (!name.startsWith('@grantbook') && !name.startsWith('@embedded'))
      symlinkSync(join(modules, name), join(folder, 'node_modules', name));
  mkdirSync(join(folder, 'bin'));
  const [, program = '', command = ''] = /ln -s \/app\/(\S+) \/usr\/local\/bin\/(\S+)/.exec(lastStage) ?? [];
  chmodSync(join(folder, program), 0o755);
  symlinkSync(join(folder, program), join(folder, 'bin', command));
};

test('AP-12: what the image contains migrates, serves, and creates the first operator', async () => {
  const folder = temporaryFolder(onTestFinished);
  layOut(folder);
  const { stores } = await startTestServers(onTestFinished, freshDatabase);
  const port = String(await freePort());
  const env = {
    ...sharedSettings(stores),
    PATH: `${join(folder, 'bin')}:${process.env['PATH']}`,
    NODE_ENV: 'development', // production refuses the event store of tests
    PORT: port,
    BASE_URL: `http://127.0.0.1:${port}`,
    TRUSTED_PROXIES: '',
    LOG_LEVEL: 'info',
  };
  const options = { cwd: folder, env } as const;
  const exitCodeOf = async ([program = '', ...args]: readonly string[], input = '') => {
    const child = spawn(program, args, { ...options, stdio: ['pipe', 'ignore', 'inherit'] });
    child.stdin.end(input);
    return ((await once(child, 'exit')) as [number | null])[0];
  };
  const entrypoint = join(folder, 'entrypoint.sh');

  expect(await exitCodeOf([entrypoint, 'migrate'])).toBe(0);

  const service = await readyInstance(spawn(...untilWeDie(entrypoint), { ...options, stdio: 'pipe' }));
  onTestFinished(() => endInstance(service, 'SIGKILL').then(() => undefined));
  expect(service.output()).toMatch(/There is no operator yet.*grantbook user create/);
  const health = JSON.parse(/HEALTHCHECK .*?CMD (\[.*\])$/m.exec(lastStage)?.[1] ?? '[]') as string[];
  expect(await exitCodeOf(health)).toBe(0);
  expect((await fetch(`${env.BASE_URL}/docs/connect-your-add-on`)).status).toBe(200);
  const command = words('grantbook user create --email you@example.com --name You --operator');
  expect(await exitCodeOf([entrypoint, ...command], 'correct horse battery staple\n')).toBe(0);

  expect(await endInstance(service, 'SIGTERM')).toBe(0);
  expect(await exitCodeOf(health)).not.toBe(0);
});
