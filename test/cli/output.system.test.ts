import { migrationLock } from '../../src/projections/database/migrate.ts';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, openSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { PassThrough } from 'node:stream';
import pg from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { makeActs } from '../../src/cli/sign-in/acts.ts';
import { breakGlass } from '../../src/domain/kernel/actor.ts';
import type { EventStore } from '../../src/eventstore/event-store.ts';
import { packageRoot } from '../../src/process/package-root.ts';
import { settingsFor } from '../operations/running.ts';
import { makeCertificates } from '../support/servers/certificates.ts';
import { migratedDatabase } from '../support/servers/databases.ts';
import { startTestServers } from '../support/test-servers.ts';
import { startTlsProxy } from '../support/servers/tls-proxy.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const program = join(packageRoot, 'dist/src/cli/grantbook.js');

test.skipIf(!existsSync('/dev/full'))(
  'an answer that cannot be written is one sentence and exit code 1, without a stack trace',
  async () => {
    const full = openSync('/dev/full', 'w');
    onTestFinished(() => closeSync(full));
    const child = spawn(process.execPath, [program, '--version'], { stdio: ['ignore', full, 'pipe'] });
    const [said] = await Promise.all([
      text(child.stderr as NonNullable<typeof child.stderr>),
      once(child, 'exit'),
    ]);
    expect([child.exitCode, said]).toEqual([
      1,
      'The answer could not be written to standard output (ENOSPC); what the command did stays done.\n',
    ]);
  },
);

test('a reader of standard error that ends early ends no command', async () => {
  const child = spawn(process.execPath, [program, 'doctor', 'extra']);
  child.stderr.destroy();
  await once(child, 'exit');
  expect(child.exitCode).toBe(2);
});

test('FX-43: migrate ends when it is interrupted while another process migrates', async () => {
  const database = await migratedDatabase();
  const other = new pg.Client(database.url);
  await other.connect();
  onTestFinished(async () => {
    await other.end();
    await database.drop();
  });
  await other.query('select pg_advisory_lock($1)', [migrationLock]);
  await other.query(`delete from migrations where name > '0002'`); // a schema that is up to date needs no lock
  const child = spawn(process.execPath, [program, 'migrate'], { env: { DATABASE_URL: database.url } });
  const said = text(child.stderr);
  const waiting = `select from pg_locks where locktype = 'advisory' and not granted
    and database = (select oid from pg_database where datname = current_database())`;
  await expect.poll(async () => (await other.query(waiting)).rowCount).toBe(1);
  child.kill('SIGINT');
  await once(child, 'exit');
  expect([child.exitCode, await said]).toEqual([
    1,
    'Refused: it was interrupted: run it again to continue.\n',
  ]);
});

test('HI-06: a run without a token that cannot be counted is one sentence, without a stack trace', async () => {
  const stderr = new PassThrough();
  const acts = makeActs(stderr);
  const full = Object.assign(new Error('could not extend file'), { code: '53100' });
  acts.begin({ by: breakGlass, user: null }, () => Promise.reject(full));
  const store = acts.named({ append: () => Promise.resolve() } as never as EventStore);
  const event = { type: 'AddonSuspended', data: {} } as never;
  await store.append('addon-01JD0000000000000000000000' as never, 0n, [event]);
  await acts.counted();
  expect(String(stderr.read())).toMatch(
    /^Warning: nobody is signed in.*\nWarning: this run could not be counted \(53100\)\n$/,
  );
});

test('FX-46: neither the service nor a command prints a warning for a TLS address that is an IP', async () => {
  const { node, database } = await startTestServers(onTestFinished);
  const { ca, server } = await makeCertificates();
  const tls = await startTlsProxy(node.port, server);
  onTestFinished(() => tls.close());
  const tlsCAFile = join(temporaryFolder(onTestFinished), 'ca.crt');
  writeFileSync(tlsCAFile, ca);
  const eventStoreUrl = `esdb://${tls.address}?tls=true&tlsCAFile=${tlsCAFile}`;
  const env = { ...settingsFor({ databaseUrl: database.url, eventStoreUrl }), PORT: '0', LOG_LEVEL: 'error' };
  const start = (file: string, ...args: readonly string[]) => {
    const child = spawn(process.execPath, [file, ...args], { env });
    return { child, said: Promise.all([text(child.stderr), once(child, 'exit')]) };
  };
  const service = start(join(packageRoot, 'dist/src/main.js'));
  for await (const chunk of service.child.stdout) if (String(chunk).includes(' is ready at ')) break;
  const commands = [['organization', 'list'], ['doctor'], ['log', 'copy', '--to', eventStoreUrl]];
  const said = await Promise.all(commands.map((args) => start(program, ...args).said));
  service.child.kill('SIGTERM');
  expect(said.map(([, [exitCode]]) => exitCode as unknown)).toEqual([0, 0, 1]);
  expect([...said, await service.said].map(([stderr]) => stderr).join('')).not.toMatch(/warning:|DEP\d+/i);
});
