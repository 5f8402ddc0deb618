import type { Command } from 'commander';
import { describe, expect, test } from 'vitest';
import type { CliIo } from '../../src/cli/base/cli-io.ts';
import { detailsOf, exampleOf } from '../../src/cli/base/details.ts';
import { makeProgram } from '../../src/cli/run-cli.ts';
import { ConfigError } from '../../src/config/config.ts';
import { EventStoreUnavailable } from '../../src/eventstore/event-store.ts';
import { accessRightRecord, profileRecord, reservationRecord } from '../support/documents/record-schemas.ts';
import { runBeside } from './live-service.ts';
import { runGrantbook } from './run-grantbook.ts';

const register = ['addon', 'register', '--name', 'Doors', '--redirect-uri', 'https://addon.example/cb'];
const org = '01JD0000000000000000000000';

describe('a usage error of grantbook', () => {
  test.each([
    { args: [], names: 'Usage: grantbook' },
    { args: ['addon'], names: 'Usage: grantbook addon' },
    { args: ['adon', 'list'], names: 'adon' },
    { args: ['addon', 'lst'], names: 'lst' },
    { args: ['addon', 'list', 'extra'], names: 'too many arguments' },
    { args: ['addon', 'list', '--colour'], names: '--colour' },
    { args: ['addon', 'register', '--redirect-uri', 'https://a.example/cb'], names: '--name' },
    { args: ['addon', 'register', '--name', 'Doors'], names: '--redirect-uri' },
    { args: [...register, '--name', ' '], names: '--name' },
    { args: [...register, '--redirect-uri', '/cb'], names: '--redirect-uri' },
    { args: [...register, '--configuration-url', 'nowhere'], names: '--configuration-url' },
    { args: [...register, '--scope', 'everything'], names: 'profiles:read' },
    { args: [...register, '--post-logout-redirect-uri', '/out'], names: '--post-logout-redirect-uri' },
    { args: [...register, '--grant-type', 'password'], names: 'authorization_code' },
    { args: [...register, '--id-token-alg', 'none'], names: 'RS256, ES256' },
    { args: [...register, '--audience', 'api'], names: '--audience' },
    {
      args: ['addon', 'register', '--name', 'Doors', '--resource-server', '--grant-type', 'refresh_token'],
      names: '--grant-type',
    },
    { args: [...register, '--resource-server'], names: '--redirect-uri' },
    { args: ['addon', 'show'], names: 'id' },
    { args: ['addon', 'show', ''], names: 'Allowed is an id' },
    { args: ['organization', 'create'], names: '--name' },
    { args: ['audit', 'export', '--organization', org], names: '--output' },
    { args: ['audit', 'export', '--organization', org, '-o', 'x', '--from', '12'], names: 'commit/prepare' },
    {
      args: ['audit', 'export', '--organization', org, '-o', 'x', '--from', '2/2', '--until', '1/1'],
      names: '--from',
    },
    { args: ['audit', 'verify'], names: 'file' },
    { args: ['audit', 'verify', '/no/such/file'], names: 'no such file' },
    { args: ['audit', 'verify', 'README.md', '--jwks', 'src'], names: 'it is a directory' },
    { args: ['audit', 'verify', 'README.md', '--jwks', 'README.md'], names: 'is not JSON' },
    { args: ['audit', 'verify', 'README.md', '--jwks', 'package.json'], names: 'JWK Set' },
    { args: ['user', 'create', '--name', 'Ada'], names: '--email' },
    { args: ['user', 'create', '--name', 'Ada', '--email', 'a@b.c'], names: 'password' },
    {
      args: ['user', 'create', '--name', 'A', '--email', 'a@b.c', '--auditor-of', org],
      names: '--auditor-of needs --auditor',
    },
    { args: ['organization', 'add-auditor', '--organization', org], names: '--user' },
    { args: ['organization', 'remove-auditor', '--user', org], names: '--organization' },
    { args: ['user', 'token', 'create', '--user', org], names: '--name' },
    { args: ['user', 'token', 'create', '--name', 'audit'], names: '--email and --user' },
    {
      args: ['user', 'token', 'create', '--name', 'audit', '--user', org, '--email', 'a@b.c'],
      names: '--email and --user',
    },
    { args: ['user', 'token', 'create', '--name', 'a', '--user', org, '--days', '366'], names: '1 to 365' },
    { args: ['user', 'token', 'list'], names: '--email and --user' },
    { args: ['user', 'token', 'revoke', '--user', org], names: 'token' },
    { args: ['activation', 'activate', '--organization', org], names: '--addon' },
    { args: ['activation', 'show', '--addon', org], names: '--organization' },
    { args: ['import', 'profiles', '-'], names: '--organization' },
    { args: ['import', 'profiles', '--organization', org], names: 'file' },
    { args: ['import', 'people', '-', '--organization', org], names: 'people' },
    {
      args: ['import', 'profiles', '/no/such/file', '--organization', org],
      names: '/no/such/file cannot be read: no such file',
    },
    {
      args: ['import', 'profiles', '/tmp', '--organization', org],
      names: '/tmp cannot be read: it is a directory',
    },
    { args: ['eventstore'], names: '--port' },
    { args: ['eventstore', '--port', '65536'], names: '0 to 65535' },
    { args: ['eventstore', '--port', '2113x'], names: '--port' },
    { args: ['keys', 'rotate', '--alg', 'HS256'], names: 'RS256, ES256' },
    { args: ['audit', 'timeline'], names: '--organization, --addon, --user and --grant' },
    { args: ['audit', 'timeline', '--user', org, '--grant', org], names: '--user and --grant' },
    { args: ['audit', 'timeline', '--user', org, '--records'], names: '--records' },
    { args: ['audit', 'timeline', '--user', org, '--limit', '1001'], names: '1 to 1000' },
    { args: ['audit', 'timeline', '--user', org, '--type', 'Nothing'], names: '--type' },
    { args: ['audit', 'timeline', '--user', org, '--actor', ' '], names: '--actor' },
    { args: ['audit', 'timeline', '--user', org, '--after', '18446744073709551616/1'], names: '--after' },
    { args: ['audit', 'timeline', '--user', org, '--after', '1/1', '--before', 'end'], names: '--before' },
    { args: ['audit', 'timeline', '--user', org, '--from', '2026-02-30'], names: 'RFC 3339' },
    {
      args: ['audit', 'timeline', '--user', org, '--from', '2026-02-03', '--to', '2026-02-02'],
      names: '--from is later than --to',
    },
    { args: ['audit', 'replay'], names: 'stream' },
    { args: ['audit', 'replay', '$all'], names: 'grant' },
    { args: ['audit', 'replay', 'grant-A', '--until', 'tomorrow'], names: '--until' },
    { args: ['audit', 'as-of', '--organization', org], names: '--at and --position' },
    { args: ['audit', 'as-of', '--organization', org, '--position', '-1/0'], names: '--position' },
    {
      args: ['audit', 'exposure', '--organization', org, '--addon', org, '--from', '2026-01-01'],
      names: '--to',
    },
    { args: ['log', 'copy', '--to', '-'], names: '--to: it is empty' },
    { args: ['kafka', 'dead-letters', 'show', 'host.dead-letter/0'], names: 'TOPIC/PARTITION/OFFSET' },
    { args: ['kafka', 'dead-letters', 'show', 'host.dead-letter/0/017'], names: 'TOPIC/PARTITION/OFFSET' },
    { args: ['kafka', 'dead-letters', 'resend', 't/0/1', 't/0/-1'], names: 'TOPIC/PARTITION/OFFSET' },
    { args: ['kafka', 'dead-letters', 'resend', 't/0/9223372036854775808'], names: 'dead-letter' },
    { args: ['kafka', 'dead-letters', 'resend'], names: 'dead-letter' },
    { args: ['kafka', 'dead-letters', 'list', '--reason', 'bad'], names: 'unknown-organization' },
    { args: ['kafka', 'dead-letters', 'list', '--state', 'open'], names: 'waiting, resent' },
    { args: ['kafka', 'dead-letters', 'list', '--after', '1.x'], names: '--after' },
    { args: ['migrate', 'now'], names: 'too many arguments' },
  ])('exits 2 and names what is wrong: $args', async ({ args, names }) => {
    const human = await runGrantbook(args);
    expect(human).toMatchObject({ exitCode: 2, stdout: '' });
    expect(human.stderr).toContain(names);
    const machine = await runGrantbook([...args, '--json']);
    expect(machine.exitCode).toBe(2);
    expect(machine.json).toEqual({ error: { code: 'usage', message: expect.any(String) } });
  });

  test.each([
    'addon list',
    'keys list',
    'parked list',
    'kafka dead-letters list',
    'history status',
    'projections status',
    'audit deposits',
  ])('AP-09: is a column that %s does not have', async (list) => {
    const { exitCode, stderr } = await runGrantbook([...list.split(' '), '--columns', 'state,size of it']);
    expect([exitCode, stderr]).toEqual([2, expect.stringMatching(/--columns.*are some of \w+, \w+/)]);
  });

  test('is not to ask for help, which says how long a name may be (FX-79)', async () => {
    const helpOf = async (command: string) => {
      const { exitCode, stdout } = await runGrantbook([...command.split(' '), '--help']);
      expect(exitCode).toBe(0);
      return stdout.replaceAll(/\s+/g, ' ');
    };
    expect(await helpOf('addon register')).toContain('--redirect-uri <uri...>');
    for (const command of ['addon register', 'organization create', 'organization rename', 'user create'])
      expect(await helpOf(command)).toMatch(/--name <value> [^-]+; at most 100 characters/);
  });
});

const linesOfContents = async () => {
  const { stdout } = await runGrantbook(['--help']);
  return [...stdout.matchAll(/^(?:[A-Z][a-z-]+)? +([a-z-]+(?:, [a-z-]+)*) {2,}(\S.*)$/gm)];
};

test('every command of the help is loaded by its first word', async () => {
  const names = (await linesOfContents()).flatMap(([, names = '']) => names.split(', '));
  expect(names.length).toBeGreaterThan(20);
  for (const name of names)
    expect(await runGrantbook([name, '--help'])).toMatchObject({
      exitCode: 0,
      stdout: expect.stringContaining(`Usage: grantbook ${name}`) as string,
    });
});

test('AM-16: the help is a table of contents of 24 lines: each command with what it does, in groups', async () => {
  const { stdout } = await runGrantbook(['--help']);
  const lines = stdout.trimEnd().split('\n');
  expect(lines.length).toBeLessThanOrEqual(24);
  expect(lines.filter((line) => line.length > 80)).toEqual([]);
  expect([...stdout.matchAll(/^([A-Z][a-z-]+) {2,}/gm)].map(([, heading]) => heading)).toEqual([
    'Sign-in',
    'Marketplace',
    'Records',
    'Audit',
    'Operation',
  ]);
  const program = await makeProgram(null, silentIo, () => Promise.resolve());
  const names = (await linesOfContents()).flatMap(([, named = '']) => named.split(', '));
  expect(names.toSorted()).toEqual(program.commands.map((command) => command.name()).toSorted());
});

const silentIo = {} as CliIo;
const leavesOf = (command: Command): readonly Command[] =>
  command.commands.length === 0 ? [command] : command.commands.flatMap(leavesOf);

test('the help of each command has an example that is accepted, and its JSON keys', async () => {
  const commands = leavesOf(await makeProgram(null, silentIo, () => Promise.resolve()));
  expect(commands.length).toBeGreaterThan(70);
  for (const command of commands) {
    const example = exampleOf(command);
    expect([example, detailsOf(command).json ?? []]).not.toEqual([example, []]);
    let ran = false;
    const [, ...words] = example.match(/"[^"]*"|\S+/g) ?? [];
    const args = words.map((word) => word.replaceAll('"', ''));
    const io = { env: {}, stdout: { write: fail }, stderr: { write: fail } } as unknown as CliIo;
    const program = await makeProgram(args, io, () => Promise.resolve(void (ran = true)));
    await program.parseAsync(args, { from: 'user' });
    expect([example, ran]).toEqual([example, true]);
  }
});

const fail = (text: string) => {
  throw new Error(text);
};

describe('LI-08: the help of an import', () => {
  test.each([
    ['profiles', profileRecord],
    ['reservations', reservationRecord],
    ['access-rights', accessRightRecord],
  ])('names the fields of %s, distinguished by whether they may be left out', async (resource, schema) => {
    const { stdout } = await runGrantbook(['import', resource, '--help']);
    const [, required = '', optional = ''] = /^Fields: (.*); optional (.*)\.$/m.exec(stdout) ?? [];
    const fieldsIn = (text: string) => text.replaceAll(/ \([^)]*\)/g, '').split(', ');
    const problems = schema.safeParse({}).error?.issues.map(({ path }) => String(path[0]));
    expect(fieldsIn(required)).toEqual(problems);
    const named = [...fieldsIn(required), ...fieldsIn(optional), 'deleted'];
    const asNull = Object.fromEntries([...named, 'other'].map((field) => [field, null]));
    const unknown = schema.safeParse(asNull).error?.issues.find(({ code }) => code === 'unrecognized_keys');
    expect(unknown).toMatchObject({ keys: ['other'] });
    const status = /status \((.*?)\)/.exec(required)?.[1];
    const wrong = schema.safeParse({ status: 'x' }).error?.issues.find(({ path }) => path[0] === 'status');
    expect(wrong?.message).toBe(status && `must be one of ${status}`);
  });
});

describe('a service that cannot be had', () => {
  test('is exit 1 and names the setting', async () => {
    const ran = await runGrantbook(['addon', 'list', '--json']);
    expect(ran.exitCode).toBe(1);
    expect(ran.json).toMatchObject({ error: { code: 'not-reached', setting: 'DATA_DIR' } });
    expect((await runGrantbook(['addon', 'list'])).stderr).toBe('No service runs here.\n');
  });

  test('for a DATA_DIR that cannot be is exit 1 and says so, whatever it was to be used for', async () => {
    for (const command of [
      ['addon', 'list'],
      ['eventstore', '--port', '0'],
    ]) {
      const ran = await runBeside({ DATA_DIR: '/dev/null/data' }, [...command, '--json']);
      expect(ran.exitCode).toBe(1);
      expect(ran.json).toEqual({
        error: {
          code: 'not-reached',
          message: 'DATA_DIR /dev/null/data cannot be made (ENOTDIR)',
          setting: 'DATA_DIR',
        },
      });
    }
  });

  test('for wrong settings is exit 2 and says every problem', async () => {
    const openService = () => Promise.reject(new ConfigError(['PORT: got "x"; allowed: a port']));
    const ran = await runGrantbook(['addon', 'list', '--json'], { openService });
    expect(ran.exitCode).toBe(2);
    expect(ran.json).toMatchObject({
      error: { code: 'settings', problems: ['PORT: got "x"; allowed: a port'] },
    });
  });

  test('for a reason of the event store never shows a stack', async () => {
    const openService = () => Promise.reject(new EventStoreUnavailable('14 UNAVAILABLE at /somewhere'));
    const ran = await runGrantbook(['addon', 'list'], { openService });
    expect(ran).toMatchObject({ exitCode: 1, stdout: '' });
    expect(ran.stderr).toContain('EVENTSTORE_URL');
    expect(ran.stderr).not.toContain('    at ');
  });
});

test('OP-09: --version says version and commit, as text and as one JSON document', async () => {
  const told = await runGrantbook(['--version', '--json']);
  expect([told.exitCode, told.json]).toEqual([
    0,
    { version: expect.stringMatching(/^\d+\.\d+\.\d+/), commit: expect.stringMatching(/^[0-9a-f]{7,40}$/) },
  ]);
  const { version, commit } = told.json;
  expect((await runGrantbook(['--version'])).stdout).toBe(
    `grantbook ${String(version)}, commit ${String(commit)}\n`,
  );
});
