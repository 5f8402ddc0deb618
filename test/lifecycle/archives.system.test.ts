import { execFile, spawn } from 'node:child_process';
import { chmodSync, cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { packageRoot, packageVersion } from '../../src/process/package-root.ts';
import { endInstance, readyInstance } from '../support/servers/instance.ts';
import { untilWeDie } from '../support/servers/until-we-die.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { words } from '../support/words.ts';

/** What `npm pack` makes of this repository and of each package is installed elsewhere, and used. */

const run = promisify(execFile);
const archives = temporaryFolder();
const fixtures = join(packageRoot, 'test/fixtures/audit-export');

const pack = async (folder: string): Promise<string> => {
  const { stdout } = await run(
    'npm',
    ['pack', '--json', '--ignore-scripts', '--pack-destination', archives],
    { cwd: join(packageRoot, folder) },
  );
  const [{ filename, version }] = JSON.parse(stdout) as [{ filename: string; version: string }];
  expect(version).toBe(packageVersion);
  return join(archives, filename);
};

/** A project with these packages and what they ask for. Without a .npmrc of its own, it is as on any machine. */
const projectWith = async (...packages: readonly string[]): Promise<string> => {
  const project = temporaryFolder(onTestFinished);
  chmodSync(project, 0o711); // PostgreSQL may have to pass through as another user
  writeFileSync(join(project, 'package.json'), '{"private":true,"type":"module"}');
  await run('npm', ['install', '--prefer-offline', '--no-audit', '--no-fund', ...packages], { cwd: project });
  return project;
};

/** Names that the files of an installed package import, and that are not found from there. */
const missingIn = (folder: string): readonly string[] => {
  const from = createRequire(join(folder, 'package.json'));
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.js') && !file.includes('node_modules'))
    .flatMap((file) => [
      ...readFileSync(join(folder, file), 'utf8').matchAll(
        /^(?:import|export|\}).*?"?'?from ["']([^.#"'][^"']*)["'];?$/gm,
      ),
    ])
    .map(([, name = '']) => name);
  expect(names.length).toBeGreaterThan(0);
  return [...new Set(names)].filter((name) => {
    try {
      from.resolve(name);
      return false;
    } catch (error) {
      return (error as NodeJS.ErrnoException).code === 'MODULE_NOT_FOUND';
    }
  });
};

/** Runs a program that the project has installed. */
const inProject = (project: string, env: Readonly<Record<string, string>> = {}) => {
  const options = {
    cwd: project,
    env: { PATH: process.env['PATH'], HOME: project, LOG_LEVEL: 'warn', ...env },
  };
  return async (line: string, stdin = '') => {
    const [program = '', ...args] = words(line);
    const running = run(join(project, 'node_modules/.bin', program), args, options);
    running.child.stdin?.end(stdin);
    return (await running).stdout;
  };
};

/** What TypeScript says of these files, with the declarations of what the project has installed: an error fails. */
const compile = (project: string, ...files: readonly string[]) => {
  const compiler = join(packageRoot, 'node_modules/typescript/bin/tsc');
  const typeRoots = ['--typeRoots', join(packageRoot, 'node_modules/@types'), '--types', 'node'];
  const options = words(
    '--noEmit --strict --allowJs --checkJs --skipLibCheck --module nodenext --target es2023',
  );
  return run(process.execPath, [compiler, ...options, ...typeRoots, ...files], { cwd: project });
};

test('the archives of the service and of grantbook-remote', async () => {
  const project = await projectWith(await pack('.'));
  const installed = join(project, 'node_modules/grantbook');
  expect(missingIn(installed)).toEqual([]);
  expect(readdirSync(join(installed, 'packages'))).not.toContain('remote');
  const here = inProject(project);
  expect(await here('grantbook --version')).toContain(`grantbook ${packageVersion}, commit `);
  expect(await here('grantbook-remote --version')).toContain(packageVersion);

  const service = await readyInstance(
    spawn(...untilWeDie(join(project, 'node_modules/.bin/grantbook-service')), {
      cwd: project,
      env: { PATH: process.env['PATH'], PORT: '0', LOG_LEVEL: 'warn' },
    }),
  );
  onTestFinished(() => endInstance(service, 'SIGTERM').then(() => undefined));
  const live = await (await fetch(`${service.baseUrl}/health/live`)).json();
  expect(live).toMatchObject({ status: 'live', version: packageVersion });
  for (const page of ['/sign-in', '/docs', '/docs/connect-your-add-on', '/openapi.json'])
    expect([page, (await fetch(service.baseUrl + page)).status]).toEqual([page, 200]);
  const created = await here(
    'grantbook user create --email olga@example.com --name Olga --operator --json',
    'correct horse battery staple\n',
  );
  const { user_id: user } = JSON.parse(created) as { readonly user_id: string };
  const made = await here(`grantbook user token create --user ${user} --name remote --json`);
  const { token } = JSON.parse(made) as { readonly token: string };

  const elsewhere = await projectWith(await pack('packages/remote'));
  expect(missingIn(join(elsewhere, 'node_modules/@grantbook/remote'))).toEqual([]);
  expect(readdirSync(join(elsewhere, 'node_modules'))).not.toContain('pg');
  const remote = inProject(elsewhere, { GRANTBOOK_SERVER: service.baseUrl, GRANTBOOK_TOKEN: token });
  expect(await remote('grantbook-remote --version')).toBe(await here('grantbook --version'));
  expect(await remote('grantbook-remote whoami')).toContain('Olga');
  const addons = JSON.parse(await remote('grantbook-remote addon list --json')) as { addons: unknown[] };
  expect(addons).toEqual(JSON.parse(await here('grantbook addon list --json')));
});

test('the archive of @grantbook/verify', async () => {
  const project = await projectWith(await pack('packages/verify'));
  cpSync(fixtures, project, { recursive: true });
  const verify = inProject(project);
  const report = await verify('grantbook-verify export.ndjson --jwks jwks.json --json');
  expect(JSON.parse(report)).toMatchObject({ ok: true });
  writeFileSync(
    join(project, 'uses.ts'),
    `import { verifyFile, type Report } from '@grantbook/verify';
     import { parsePosition } from '@grantbook/verify/position';
     export const report: Promise<Report> = verifyFile('export.ndjson', { jwks: 'jwks.json' });
     // @ts-expect-error it takes a text
     parsePosition(1);`,
  );
  await compile(project, 'uses.ts');
});

/** Copies a log of one event from one node to another, twice. */
const copying = `
  import { EventStoreDBClient, jsonEvent } from '@eventstore/db-client';
  import { startNode } from '@grantbook/eventstore-node';
  import { startPostgres } from '@grantbook/eventstore-node/postgres';
  import { copyLog, planCopy, rawLog } from '@grantbook/log-copy';

  const postgres = await startPostgres({ dataDir: 'two-logs', settings: { fsync: 'off' } });
  const [source, target] = await Promise.all(
    ['one', 'two'].map(async (name) => {
      await postgres.createDatabase(name);
      const node = await startNode({ databaseUrl: postgres.url(name) });
      return { node, client: EventStoreDBClient.connectionString(node.url) };
    }),
  );
  if (!source || !target) throw new Error();
  await source.client.appendToStream('order-1', jsonEvent({ type: 'OrderPlaced', data: { cents: 5 } }));

  /** @type {import('@grantbook/log-copy').EventToCopy} */
  const last = { id: crypto.randomUUID(), type: 'LogCopied', isJson: true, data: Buffer.from('{}'), metadata: Buffer.from('{}') };
  const closing = {
    stream: 'copies',
    type: 'LogCopied',
    expected: /** @type {const} */ ('no-stream'),
    make: () => Promise.resolve(last),
    /** @param {import('@grantbook/log-copy').RawEvent} event */
    isOfThis: ({ id }) => id === last.id,
  };
  const failures = { isFinal: () => false, failed: (/** @type {string} */ what) => new Error(what) };
  const [from, to] = [rawLog(source.client, failures), rawLog(target.client, failures)];
  const { signal } = new AbortController();
  const copy = async () => {
    const plan = await planCopy(from, signal);
    const { wasClosed } = await copyLog({ source: from, target: to, plan, closing, progressed: () => {}, signal });
    console.log(wasClosed);
  };
  await copy();
  await copy();
  for await (const { event } of target.client.readStream('order-1')) console.log(JSON.stringify(event?.data));
  // @ts-expect-error it is no number
  rawLog(1, failures);
  for (const { client, node } of [source, target]) await client.dispose().then(() => node.close());
  await postgres.close();
`;

test('the archives of @grantbook/eventstore-node and @grantbook/log-copy', async () => {
  const project = await projectWith(await pack('packages/eventstore-node'), await pack('packages/log-copy'));
  for (const name of ['eventstore-node', 'log-copy'])
    expect(missingIn(join(project, 'node_modules/@grantbook', name))).toEqual([]);
  for (const file of ['orders.js', 'orders.test.js'])
    cpSync(join(packageRoot, 'packages/eventstore-node/example', file), join(project, file));
  writeFileSync(join(project, 'copy.js'), copying);
  await compile(project, 'orders.test.js', 'copy.js');
  const tested = await run(process.execPath, ['--test', '--test-reporter=tap'], { cwd: project });
  expect(tested.stdout).toContain('# pass 2\n');
  const copied = await run(process.execPath, ['copy.js'], { cwd: project });
  expect(copied.stdout).toBe('false\ntrue\n{"cents":5}\n');
});
