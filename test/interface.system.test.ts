import { EventStoreDBClient, jsonEvent } from '@eventstore/db-client';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parseRecord } from '../src/kafka/records/parse-record.ts';
import { eventually } from './support/eventually.ts';
import { accessRightRecord, profileRecord, reservationRecord } from './support/documents/record-schemas.ts';
import { ConfigError, readConfig } from '../src/config/config.ts';
import { connectFrom } from '../src/cli/base/connect.ts';
import { runGrantbook } from './cli/run-grantbook.ts';
import { startLiveService } from './cli/live-process.ts';
import { rowsOf, sectionOf } from './support/documents/interface-table.ts';
import { expectTrouble } from './support/trouble/expect-trouble.ts';

/** The names that others rely on: every row of the table is tried, and a row without a try fails. */

const root = join(import.meta.dirname, '..');

const service = await startLiveService();
afterAll(() => service.stop());

/** An event of ours that nobody can read, written past the gateway, and parked by the running service. */
const writePoison = async (): Promise<string> => {
  const { openServers } = connectFrom({ env: service.env, stderr: process.stderr });
  const servers = await openServers({ eventStore: true });
  const client = EventStoreDBClient.connectionString(servers.eventStoreUrl);
  const event = jsonEvent({ type: 'ProfileRecorded', data: {}, metadata: { version: 1 } });
  await client.appendToStream('profile-nobody.poison', event, { expectedRevision: 'no_stream' });
  await eventually(async () => expect((await service.runJson(['parked', 'list']))['keys']).toHaveLength(1));
  await client.dispose();
  await servers.close();
  return event.id;
};

describe('npm scripts', () => {
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    scripts: Record<string, string>;
  };
  const names = rowsOf('npm scripts').flatMap((row) => row.names);

  test('are read from the table', () => {
    expect(names.length).toBeGreaterThanOrEqual(6);
  });

  test.each(names)('%s runs something that is there', (name) => {
    const script = name.replace(/^npm (run )?/, '').split(' ')[0] ?? '';
    const command = scripts[script] ?? '';
    expect(command).not.toBe('');
    for (const [, file = ''] of command.matchAll(/node dist\/(\S+)\.js/g)) {
      expect(existsSync(join(root, `${file}.ts`))).toBe(true);
    }
  });

  test('npm run check does types, lint, format, unused code and architecture', () => {
    for (const part of ['types', 'lint', 'prettier --check', 'knip', 'architecture']) {
      expect(scripts['check']).toContain(part);
    }
  });

  test('npm start with PORT=0 got a free port and said so in one ready line', async () => {
    expect(new URL(service.baseUrl).port).not.toBe('0');
    expect((await fetch(`${service.baseUrl}/health/ready`)).status).toBe(200);
  });
});

describe('the environment', () => {
  const section = sectionOf('Environment');
  const names = [...section.matchAll(/`([A-Z][A-Z_]*)`/g)].map(([, name = '']) => name);
  const good: Readonly<Record<string, string>> = {
    PORT: '0',
    HOST: 'localhost',
    BASE_URL: 'https://grantbook.example',
    ISSUER: 'https://grantbook.example',
    DATA_DIR: '/tmp/grantbook',
    EVENTSTORE_URL: 'esdb://127.0.0.1:2113?tls=false',
    DATABASE_URL: 'postgresql://grantbook@localhost:5432/grantbook',
    KAFKA_BROKERS: 'localhost:9092',
    LOG_LEVEL: 'warn',
    NODE_ENV: 'test',
    REFRESH_ABSOLUTE_TTL: '31536000',
  };
  const sample = (name: string) => good[name] ?? '30';

  test('is read from the table', () => {
    expect(names).toContain('RATE_LIMIT_SIGN_IN');
    expect(names.length).toBeGreaterThanOrEqual(18);
  });

  test.each(names)('%s is a setting', (name) => {
    expect(() => readConfig({ [name]: sample(name) })).not.toThrow();
  });

  test.each(names.filter((name) => name !== 'DATA_DIR'))(
    '%s, when it is bad, is named with what is allowed',
    (name) => {
      const problems = problemsOf({ [name]: ' not, this ' });
      expect(problems).toEqual([expect.stringContaining(name)]);
      expect(problems[0]).toContain('allowed: ');
    },
  );

  test('a name in .env that is close to a setting is refused', () => {
    const misspelt = 'RATE_LIMIT_TOKENS';
    expect(problemsOf({ [misspelt]: '5' }, [misspelt])).toEqual([expect.stringContaining(misspelt)]);
  });

  test.each([
    ['port', 'PORT', 8080],
    ['host', 'HOST', '127.0.0.1'],
    ['rateLimits.activation', 'RATE_LIMIT_ACTIVATION', 600],
    ['rateLimits.addon', 'RATE_LIMIT_ADDON', 6000],
  ])('%s has the default of the table (%s: %s)', (path, name, value) => {
    expect(section).toMatch(new RegExp(`\`${name}\` \\(?${value}\\b`));
    expect(readConfig({})).toHaveProperty(path, value);
  });

  test('secrets come from files too', () => {
    const problems = problemsOf({ DATABASE_URL_FILE: '/no/such/file' });
    expect(problems).toEqual([expect.stringContaining('DATABASE_URL_FILE')]);
  });

  const problemsOf = (env: Record<string, string>, inFile: readonly string[] = []): readonly string[] => {
    try {
      readConfig(env, inFile);
      return [];
    } catch (error) {
      if (error instanceof ConfigError) return error.problems;
      throw error;
    }
  };
});

describe('paths', () => {
  const paths = rowsOf('Paths').flatMap((row) => row.names.filter((name) => name.startsWith('/')));
  const organization = '01JD0000000000000000000000';

  /** Method and the statuses that say: this is the place, and you lack something. */
  const tries: Readonly<Record<string, readonly [method: string, status: number][]>> = {
    '/oauth/authorize': [
      ['GET', 400],
      ['PUT', 405],
    ],
    '/oauth/token': [
      ['POST', 400],
      ['GET', 405],
    ],
    '/oauth/revoke': [
      ['POST', 400],
      ['GET', 405],
    ],
    '/oauth/introspect': [
      ['POST', 401],
      ['GET', 405],
    ],
    '/oauth/userinfo': [
      ['GET', 401],
      ['POST', 401],
      ['PUT', 405],
    ],
    '/oauth/logout': [
      ['GET', 200],
      ['POST', 303],
      ['PUT', 405],
    ],
    '/.well-known/openid-configuration': [['GET', 200]],
    '/oauth/jwks': [
      ['GET', 200],
      ['POST', 405],
    ],
    '/.well-known/oauth-authorization-server': [['GET', 200]],
    '/access-rights': [
      ['GET', 401],
      ['POST', 405],
    ],
    '/profiles': [
      ['GET', 401],
      ['POST', 405],
    ],
    '/reservations': [
      ['GET', 401],
      ['POST', 405],
    ],
    '/organizations/{organization_id}/addons': [
      ['GET', 401],
      ['POST', 405],
    ],
    '/organizations/{organization_id}/addons/{client_id}/activation': [
      ['PUT', 401],
      ['DELETE', 401],
      ['GET', 401],
      ['POST', 405],
    ],
    '/sign-in': [['GET', 200]],
    '/sign-out': [['GET', 200]],
    '/admin': [['GET', 303]],
    '/audit': [
      ['GET', 303],
      ['POST', 405],
    ],
    '/operator': [
      ['GET', 303],
      ['POST', 405],
    ],
    '/health/live': [
      ['GET', 200],
      ['POST', 405],
    ],
    '/health/ready': [['GET', 200]],
    '/metrics': [
      ['GET', 200],
      ['POST', 405],
    ],
    '/openapi.json': [
      ['GET', 200],
      ['POST', 405],
    ],
    '/docs': [
      ['GET', 200],
      ['POST', 405],
    ],
  };

  test('are read from the table', () => {
    expect(paths.length).toBeGreaterThanOrEqual(13);
    expect(Object.keys(tries).filter((path) => !paths.includes(path))).toEqual([]);
  });

  test.each(paths)('%s is there, with its methods', async (path) => {
    const answers = tries[path];
    expect(answers, `no try for ${path}`).toBeDefined();
    for (const [method, status] of answers ?? []) {
      const address = `${service.baseUrl}${path.replace(/\{\w+\}/g, organization)}`;
      const answer = await fetch(address, { method, redirect: 'manual' });
      expect([path, method, answer.status]).toEqual([path, method, status]);
    }
  });
});

describe('the CLI', () => {
  expectTrouble(/of profile-nobody\.poison: its key is parked/);
  const rows = rowsOf('CLI');
  /** What the commands of a row answered, as keys of their JSON documents. */
  const answered = new Map<string, readonly string[]>();
  const made = { organization: '', addon: '' };

  const keysOf = async (args: readonly string[], stdin?: string) =>
    Object.keys(await service.runJson(args, stdin));
  const both = () => ['--organization', made.organization, '--addon', made.addon];
  const line = (fields: object) => `${JSON.stringify({ id: 'one', version: 1, ...fields })}\n`;

  /** In the order in which one makes what the next needs. */
  const tries: Readonly<Record<string, () => Promise<readonly string[]>>> = {
    'organization create --name N': async () => {
      const answer = await service.runJson(['organization', 'create', '--name', 'Interface']);
      made.organization = String(answer['organization_id']);
      return Object.keys(answer);
    },
    'user create --email E --name N [--administrator-of ORG…] [--auditor] [--operator]': () =>
      keysOf(
        // prettier-ignore
        ['user', 'create', '--email', 'interface@example.com', '--name', 'Inter Face',
          '--administrator-of', made.organization, '--auditor', '--operator'],
        'a long enough password\n',
      ),
    'addon register --name N --redirect-uri U… [--configuration-url U] [--scope S…] [--confidential]':
      async () => {
        const uris = ['https://addon.example/one', 'https://addon.example/two'];
        const answer = await service.runJson([
          'addon',
          'register',
          '--name',
          'Interface',
          '--redirect-uri',
          ...uris,
          '--configuration-url',
          'https://addon.example/',
          '--scope',
          'profiles:read',
          'openid',
          '--confidential',
        ]);
        made.addon = String(answer['client_id']);
        return Object.keys(answer);
      },
    'addon list': () => keysOf(['addon', 'list']),
    'addon show ID': () => keysOf(['addon', 'show', made.addon]),
    'addon suspend ID': () => keysOf(['addon', 'suspend', made.addon]),
    'addon resume ID': () => keysOf(['addon', 'resume', made.addon]),
    'activation activate|deactivate|show --organization ORG --addon ID': async () => [
      ...(await keysOf(['activation', 'activate', ...both()])),
      ...(await keysOf(['activation', 'deactivate', ...both()])),
      ...(await keysOf(['activation', 'show', ...both()])),
    ],
    'import profiles|reservations|access-rights FILE --organization ORG': async () => {
      const until = {
        status: 'confirmed',
        starts_at: '2026-01-01T00:00:00Z',
        ends_at: '2026-01-02T00:00:00Z',
      };
      const from = { status: 'active', valid_from: '2026-01-01T00:00:00Z', valid_until: null };
      const one = { profile_id: 'one' };
      const organization = ['--organization', made.organization];
      return [
        ...(await keysOf(
          ['import', 'profiles', '-', ...organization],
          line({ name: 'One', email: 'one@example.com' }),
        )),
        ...(await keysOf(
          ['import', 'reservations', '-', ...organization],
          line({ ...one, resource: 'A', ...until }),
        )),
        ...(await keysOf(
          ['import', 'access-rights', '-', ...organization],
          line({ ...one, opens: 'A', ...from }),
        )),
      ];
    },
    'eventstore --port N [--data-dir D]': async () => {
      const stopped = AbortSignal.abort();
      const dataDir = join(String(service.env['DATA_DIR']), 'node-of-its-own');
      const ran = await runGrantbook(['eventstore', '--port', '0', '--data-dir', dataDir, '--json'], {
        signal: stopped,
      });
      return Object.keys(ran.json);
    },
    migrate: () => keysOf(['migrate']),
    'keys rotate|list': async () => [
      ...(await keysOf(['keys', 'rotate'])),
      ...(await keysOf(['keys', 'list'])),
      ...(await keysOf(['keys', 'backup', '-o', join(String(service.env['DATA_DIR']), 'keys.ndjson')])),
      ...(await keysOf(['keys', 'restore', join(String(service.env['DATA_DIR']), 'keys.ndjson')])),
      ...(await keysOf(['keys', 'rewrap'])),
    ],
    'projections status|rebuild|verify|swap|drop': async () => [
      ...(await keysOf(['projections', 'status'])),
      ...(await keysOf(['projections', 'rebuild', 'organizations'])),
      ...(await keysOf(['projections', 'verify', 'organizations'])),
      ...(await keysOf(['projections', 'swap', 'organizations'])),
      ...(await keysOf(['projections', 'drop', 'organizations', '--version', '1'])),
    ],
    // With brokers: test/kafka/broker/kafka-status.system.test.ts.
    'kafka status': async () => {
      const { error } = await service.runJson(['kafka', 'status']);
      expect(error).toMatchObject({ code: 'not-reached', setting: 'KAFKA_BROKERS' });
      return [];
    },
    'audit timeline|replay|as-of|exposure|export|verify': async () => {
      const file = join(String(service.env['DATA_DIR']), 'interface.ndjson');
      const organization = ['--organization', made.organization];
      const now = new Date().toISOString();
      const window = ['--from', '2026-01-01', '--to', now];
      return [
        ...(await keysOf(['audit', 'timeline', ...organization])),
        ...(await keysOf(['audit', 'replay', `organization-${made.organization}`])),
        ...(await keysOf(['audit', 'as-of', ...organization, '--at', now])),
        ...(await keysOf(['audit', 'exposure', ...both(), ...window])),
        ...(await keysOf(['audit', 'export', ...organization, '--output', file])),
        ...(await keysOf(['audit', 'verify', file])),
      ];
    },
    doctor: () => keysOf(['doctor']),
    'parked list|retry|skip': async () => [
      ...(await keysOf(['parked', 'list'])),
      ...(await keysOf(['parked', 'retry', '--all'])),
      ...(await keysOf(['parked', 'skip', await writePoison()])),
    ],
  };

  beforeAll(async () => {
    for (const [command, attempt] of Object.entries(tries)) answered.set(command, await attempt());
  });

  const commands = rows.flatMap(({ names }) => names.filter((name) => /^[a-z]/.test(name)));

  test('is read from the table', () => {
    expect(commands.length).toBeGreaterThanOrEqual(11);
    expect(Object.keys(tries).filter((command) => !commands.includes(command))).toEqual([]);
  });

  test.each(commands)('%s answers one JSON document, without an error', (command) => {
    expect(answered.get(command), `no try for ${command}`).toBeDefined();
    expect(answered.get(command)).not.toContain('error');
  });

  test.each(rows.filter(({ said }) => said.length > 0))('$names answers with $said', ({ names, said }) => {
    const keys = names.flatMap((name) => answered.get(name) ?? []);
    // `errors[] {line, field, message}` is one name with the names of what is in it.
    for (const key of said) expect(keys).toContain(key.replace(/\[\].*/, ''));
  });
});

describe('records of an import', () => {
  const schemas = {
    profile: profileRecord,
    reservation: reservationRecord,
    'access right': accessRightRecord,
  };
  const values: Readonly<Record<string, unknown>> = {
    name: 'Ada',
    email: 'ada@example.com',
    user_id: '01JD0000000000000000000000',
    profile_id: 'p1',
    resource: 'Room',
    starts_at: '2026-01-01T00:00:00Z',
    ends_at: '2026-01-01T01:00:00Z',
    opens: 'Door',
    valid_from: '2026-01-01T00:00:00Z',
    valid_until: null,
  };

  test.each(Object.keys(schemas) as (keyof typeof schemas)[])(
    'a %s has the fields and the statuses of the table',
    (resource) => {
      const cells = sectionOf('Import records').split(`| ${resource} | `)[1]?.split('\n')[0] ?? '';
      const named = [...cells.matchAll(/`(\w+)`/g)].map(([, name = '']) => name);
      const statuses = named.slice(named.indexOf('status') + 1);
      const fields = named.filter((name) => name in values);
      expect(fields.length).toBeGreaterThan(2);
      const record = Object.fromEntries(fields.map((field) => [field, values[field]]));
      const accepts = (more: object) =>
        parseRecord<unknown>(schemas[resource], JSON.stringify({ id: 'A_1', version: 1, ...record, ...more }))
          .ok;
      const hasStatus = named.includes('status');
      expect(hasStatus ? statuses.map((status) => accepts({ status })) : [accepts({})]).toEqual(
        hasStatus ? statuses.map(() => true) : [true],
      );
      expect(accepts({ status: 'unheard of' })).toBe(false);
    },
  );
});
