import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { parseTokenKeys } from '../src/commands/credentials/token-keys.ts';
import { ConfigError, readConfig } from '../src/config/config.ts';
import { addFromFile } from '../src/config/environment.ts';
import { settingNames } from '../src/config/settings.ts';
import { defaultTopicNames } from '../src/kafka/topics.ts';
import { makeCertificates } from './support/servers/certificates.ts';
import { temporaryFolder } from './support/temporary-folder.ts';

const KEY = 'A'.repeat(43);
const OTHER_KEY = `${'B'.repeat(42)}A`;

const production = {
  NODE_ENV: 'production',
  BASE_URL: 'https://auth.example.org',
  EVENTSTORE_URL: 'esdb://log.example.org:2113?tls=true',
  DATABASE_URL: 'postgresql://grantbook:s3cret@db.example.org:5432/grantbook?sslmode=verify-full',
  TOKEN_KEYS: `k1:${KEY}`,
  PERSONAL_DATA_KEYS: `p1:${KEY}`,
};

const problemsOf = (
  env: Record<string, string | undefined>,
  inFile: readonly string[] = [],
): readonly string[] => {
  try {
    readConfig(env, inFile);
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
  return [];
};

const fileWith = (content: string) => {
  const folder = temporaryFolder(onTestFinished);
  writeFileSync(join(folder, 'secret'), content);
  return join(folder, 'secret');
};

describe('defaults', () => {
  test('an empty environment gives the documented defaults, with everything embedded', () => {
    expect(readConfig({})).toEqual({
      proxies: { httpProxy: '', httpsProxy: '', noProxy: '' },
      environment: 'development',
      port: 8080,
      host: '127.0.0.1',
      http: {
        managementPort: null,
        requestTimeout: 20,
        keepAliveTimeout: 72,
        maxConnections: null,
        shutdownDelay: 0,
      },
      baseUrl: null,
      issuer: null,
      trustedProxies: [],
      dataDir: resolve('.grantbook'),
      eventStoreUrl: null,
      databaseUrl: null,
      databaseSessions: 28,
      unknown: [],
      tokenKeys: null,
      personalDataKeys: null,
      kafka: null,
      mail: null,
      telemetry: false,
      brand: null,
      logLevel: 'info',
      lifetimes: {
        code: 60,
        accessToken: 3600,
        refreshIdle: 30 * 86_400,
        refreshAbsolute: 365 * 86_400,
        refreshGrace: 30,
        refreshGraceOutage: 300,
        providerRights: 30 * 86_400,
      },
      logHeadInterval: 3600,
      logRetentionDays: 400,
      historyRetentionDays: null,
      readsRetentionDays: 400,
      signalsRetentionDays: 30,
      syncRetentionDays: 30,
      recordsSignalInterval: 10,
      publisherChanges: 'approval',
      headDeposits: { directory: null, topic: null, timestampAuthority: null },
      rateLimits: {
        activation: 600,
        addon: 6000,
        token: 6000,
        authorize: 6000,
        revoke: 6000,
        introspect: 6000,
        signIn: 30,
        signInSteps: 600,
        store: 'memory',
      },
      signIn: { local: true, providers: [] },
      rotationsPerHour: 600,
      grantCacheSize: 100_000,
    });
  });

  test('an empty string counts as absent', () => {
    const empty = Object.fromEntries(settingNames.map((name) => [name, '']));
    expect(readConfig(empty)).toEqual(readConfig({}));
  });

  test('the config cannot be changed afterwards', () => {
    const config = readConfig({});
    for (const part of [config, config.http, config.lifetimes, config.rateLimits])
      expect(Object.isFrozen(part)).toBe(true);
  });

  test('the environment of this very process is understood', () => {
    // vitest sets BASE_URL to "/" for itself
    expect(problemsOf({ ...process.env, BASE_URL: undefined })).toEqual([]);
  });
});

describe('values', () => {
  test('every setting arrives', () => {
    const config = readConfig({
      ...production,
      PORT: '0',
      HOST: '0.0.0.0',
      MANAGEMENT_PORT: '9090',
      MAIL_URL: 'smtps://grantbook:secret@mail.example:465',
      MAIL_FROM: 'Grantbook <grantbook@example.org>',
      MAIL_CLIENT_NAME: 'mail.example.org',
      OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318',
      REQUEST_TIMEOUT: '300',
      KEEP_ALIVE_TIMEOUT: '620',
      DATABASE_SESSIONS: '40',
      MAX_CONNECTIONS: '12000',
      SHUTDOWN_DELAY: '15',
      ISSUER: 'https://id.example.org/tenant/',
      TRUSTED_PROXIES: '10.0.0.0/8, 2001:db8::1',
      DATA_DIR: 'data',
      KAFKA_BROKERS: 'k1:9092, k2:9092',
      ALLOW_INSECURE_KAFKA: '1',
      LOG_LEVEL: 'debug',
      CODE_TTL: '600',
      ACCESS_TOKEN_TTL: '60',
      REFRESH_IDLE_TTL: '120',
      REFRESH_ABSOLUTE_TTL: '240',
      REFRESH_GRACE: '0',
      REFRESH_GRACE_OUTAGE: '7',
      LOG_HEAD_INTERVAL: '60',
      LOG_RETENTION_DAYS: '90',
      HISTORY_RETENTION_DAYS: '400',
      READS_RETENTION_DAYS: '90',
      SIGNALS_RETENTION_DAYS: '7',
      SYNC_RETENTION_DAYS: '8',
      RECORDS_SIGNAL_INTERVAL: '5',
      PUBLISHER_CHANGES: 'free',
      HEAD_DEPOSIT_DIR: '/var/heads',
      HEAD_DEPOSIT_TOPIC: 'grantbook.heads',
      TIMESTAMP_AUTHORITY_URL: 'http://tsa.example.org/tsr',
      RATE_LIMIT_ACTIVATION: '1',
      RATE_LIMIT_ADDON: '2',
      RATE_LIMIT_TOKEN: '0',
      RATE_LIMIT_AUTHORIZE: '5',
      RATE_LIMIT_REVOKE: '6',
      RATE_LIMIT_INTROSPECT: '7',
      PROVIDER_RIGHTS_MAX_AGE: '8',
      RATE_LIMIT_SIGN_IN: '4',
      RATE_LIMIT_SIGN_IN_STEPS: '5',
      ROTATIONS_PER_HOUR: '8',
      GRANT_CACHE_SIZE: '9',
      RATE_LIMIT_STORE: 'database',
      SIGN_IN_PROVIDERS_FILE: fileWith(
        JSON.stringify([
          { id: 'acme', name: 'Acme', issuer: 'https://id.acme.example', client_id: 'grantbook' },
        ]),
      ),
      BRAND_FILE: fileWith('{"name":"Harbour"}'),
      LOCAL_SIGN_IN: 'off',
      TOKEN_KEYS: `k2:${OTHER_KEY},k1:${KEY}`,
    });
    expect(config).toEqual({
      proxies: { httpProxy: '', httpsProxy: '', noProxy: '' },
      environment: 'production',
      port: 0,
      host: '0.0.0.0',
      http: {
        managementPort: 9090,
        requestTimeout: 300,
        keepAliveTimeout: 620,
        maxConnections: 12_000,
        shutdownDelay: 15,
      },
      baseUrl: 'https://auth.example.org',
      issuer: 'https://id.example.org/tenant',
      trustedProxies: ['10.0.0.0/8', '2001:db8::1'],
      dataDir: resolve('data'),
      eventStoreUrl: production.EVENTSTORE_URL,
      databaseUrl: production.DATABASE_URL,
      databaseSessions: 40,
      unknown: [],
      tokenKeys: {
        current: 'k2',
        keys: new Map([
          ['k2', Buffer.from(OTHER_KEY, 'base64url')],
          ['k1', Buffer.from(KEY, 'base64url')],
        ]),
      },
      personalDataKeys: { current: 'p1', keys: new Map([['p1', Buffer.from(KEY, 'base64url')]]) },
      kafka: {
        brokers: ['k1:9092', 'k2:9092'],
        group: 'grantbook',
        topics: defaultTopicNames,
        newTopics: { create: true, partitions: 6, replicationFactor: null },
        tls: null,
        sasl: null,
      },
      mail: {
        url: 'smtps://grantbook:secret@mail.example:465',
        from: 'Grantbook <grantbook@example.org>',
        clientName: 'mail.example.org',
        ca: null,
      },
      telemetry: true,
      brand: {
        name: 'Harbour',
        logo: null,
        icon: null,
        accent: null,
        supportUrl: null,
        supportEmail: null,
        termsUrl: null,
        privacyUrl: null,
        mailFromName: null,
      },
      logLevel: 'debug',
      lifetimes: {
        code: 600,
        accessToken: 60,
        refreshIdle: 120,
        refreshAbsolute: 240,
        refreshGrace: 0,
        refreshGraceOutage: 7,
        providerRights: 8 * 86_400,
      },
      logHeadInterval: 60,
      logRetentionDays: 90,
      historyRetentionDays: 400,
      readsRetentionDays: 90,
      signalsRetentionDays: 7,
      syncRetentionDays: 8,
      recordsSignalInterval: 5,
      publisherChanges: 'free',
      headDeposits: {
        directory: '/var/heads',
        topic: 'grantbook.heads',
        timestampAuthority: 'http://tsa.example.org/tsr',
      },
      rateLimits: {
        activation: 1,
        addon: 2,
        token: 0,
        authorize: 5,
        revoke: 6,
        introspect: 7,
        signIn: 4,
        signInSteps: 5,
        store: 'database',
      },
      signIn: {
        local: false,
        providers: [
          {
            id: 'acme',
            name: 'Acme',
            issuer: 'https://id.acme.example',
            clientId: 'grantbook',
            clientSecret: null,
            scopes: ['openid', 'profile', 'email'],
            claims: { name: 'name', email: 'email', administratorOf: null, roles: null },
            emailVerified: 'claim',
          },
        ],
      },
      rotationsPerHour: 8,
      grantCacheSize: 9,
    });
  });

  test.each([
    ['PORT', '-1'],
    ['PORT', '65536'],
    ['PORT', '80a'],
    ['PORT', '1e3'],
    ['HOST', 'no host'],
    ['BASE_URL', 'auth.example.org'],
    ['BASE_URL', 'ftp://auth.example.org'],
    ['BASE_URL', 'https://auth.example.org?x=1'],
    ['BASE_URL', 'https://auth.example.org#x'],
    ['BASE_URL', 'https://user@auth.example.org'],
    ['ISSUER', 'https://auth.example.org/?'],
    ['ISSUER', 'https://auth.example.org/a?b'],
    ['ISSUER', 'https://auth.example.org/#'],
    ['TRUSTED_PROXIES', 'proxy.example.org'],
    ['TRUSTED_PROXIES', 'loopback'],
    ['TRUSTED_PROXIES', '10.0.0.0/33'],
    ['TRUSTED_PROXIES', '0.0.0.0/0'],
    ['TRUSTED_PROXIES', '::/0'],
    ['TRUSTED_PROXIES', '10.0.0.1,'],
    ['TRUSTED_PROXIES', '10.0.0.0/255.0.0.0'],
    ['TRUSTED_PROXIES', 'fe80::1%eth0'],
    ['KAFKA_BROKERS', 'k1'],
    ['KAFKA_BROKERS', 'k1:9092,'],
    ['KAFKA_BROKERS', 'k1:0'],
    ['KAFKA_BROKERS', 'k1:65536'],
    ['KAFKA_GROUP', 'my group'],
    ['KAFKA_TOPIC_GRANTS', 'grants/all'],
    ['KAFKA_TOPIC_GRANTS', '..'],
    ['KAFKA_TOPIC_PROFILES', 'x'.repeat(250)],
    ['KAFKA_CREATE_TOPICS', 'yes'],
    ['KAFKA_PARTITIONS', '0'],
    ['KAFKA_REPLICATION_FACTOR', '-1'],
    ['KAFKA_TLS', 'true'],
    ['KAFKA_SASL_MECHANISM', 'gssapi'],
    ['LOG_LEVEL', 'loud'],
    ['NODE_ENV', 'staging'],
    ['CODE_TTL', '0'],
    ['CODE_TTL', '601'],
    ['CODE_TTL', '1.5'],
    ['ACCESS_TOKEN_TTL', '0'],
    ['REFRESH_GRACE', '-1'],
    ['REFRESH_GRACE_OUTAGE', '3601'],
    ['RATE_LIMIT_ADDON', 'off'],
    ['RATE_LIMIT_REVOKE', '-1'],
    ['ROTATIONS_PER_HOUR', 'many'],
    ['GRANT_CACHE_SIZE', '-1'],
    ['RATE_LIMIT_STORE', 'redis'],
    ['LOCAL_SIGN_IN', 'no'],
    ['LOG_HEAD_INTERVAL', '59'],
    ['LOG_RETENTION_DAYS', '30'],
    ['HISTORY_RETENTION_DAYS', '30'],
    ['READS_RETENTION_DAYS', '0'],
    ['SIGNALS_RETENTION_DAYS', '0'],
    ['SYNC_RETENTION_DAYS', '0'],
    ['RECORDS_SIGNAL_INTERVAL', '0'],
    ['RECORDS_SIGNAL_INTERVAL', '86401'],
    ['PUBLISHER_CHANGES', 'off'],
    ['HEAD_DEPOSIT_TOPIC', 'a topic'],
    ['TIMESTAMP_AUTHORITY_URL', 'ftp://tsa.example.org'],
    ['MANAGEMENT_PORT', '65536'],
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'collector:4318'],
    ['MAIL_FROM', 'Grantbook <grantbook@example.org'],
    ['MAIL_CLIENT_NAME', '[127.0.0.1]'],
    ['REQUEST_TIMEOUT', '0'],
    ['REQUEST_TIMEOUT', '301'],
    ['KEEP_ALIVE_TIMEOUT', '0'],
    ['DATABASE_SESSIONS', '19'],
    ['MAX_CONNECTIONS', '15'],
    ['SHUTDOWN_DELAY', '301'],
  ])('AZ-52, MD-02: %s=%s is refused, naming the setting, what it got and what is allowed', (name, value) => {
    const problems = problemsOf({ [name]: value });
    expect(problems).toHaveLength(1);
    expect(problems[0]).toContain(`${name}: got ${JSON.stringify(value)}; allowed: `);
  });

  test('all problems are reported together', () => {
    const problems = problemsOf({ PORT: 'x', CODE_TTL: 'y', LOG_LEVEL: 'z', RATE_LIMT_TOKEN: '1' }, [
      'RATE_LIMT_TOKEN',
    ]);
    for (const name of ['PORT', 'CODE_TTL', 'LOG_LEVEL', 'RATE_LIMT_TOKEN']) {
      expect(problems.filter((problem) => problem.startsWith(`${name}: `))).toHaveLength(1);
    }
    expect(problems).toHaveLength(4);
  });

  test('HI-03: places of heads that need another setting say which', () => {
    expect(problemsOf({ HEAD_DEPOSIT_TOPIC: 'heads' })).toEqual([
      expect.stringMatching(/^KAFKA_BROKERS: got nothing/),
    ]);
    expect(problemsOf({ TIMESTAMP_AUTHORITY_URL: 'https://tsa.example.org' })).toEqual([
      expect.stringMatching(/^HEAD_DEPOSIT_DIR: got nothing/),
    ]);
  });

  test('DO-01: the management port is another one than that of everything else', () => {
    expect(problemsOf({ PORT: '9090', MANAGEMENT_PORT: '9090' })).toEqual([
      'MANAGEMENT_PORT: got "9090"; allowed: another port than PORT',
    ]);
    expect(problemsOf({ PORT: '0', MANAGEMENT_PORT: '0' })).toEqual([]);
  });

  test('a refresh token cannot be idle for longer than it lives', () => {
    expect(problemsOf({ REFRESH_IDLE_TTL: '100', REFRESH_ABSOLUTE_TTL: '99' })).toEqual([
      'REFRESH_IDLE_TTL: got "100"; allowed: at most REFRESH_ABSOLUTE_TTL (99)',
    ]);
  });

  test('without a time of its own, an idle refresh token ends with its grant at the latest', () => {
    expect(readConfig({ REFRESH_ABSOLUTE_TTL: '99' }).lifetimes).toMatchObject({
      refreshIdle: 99,
      refreshAbsolute: 99,
    });
    expect(readConfig({ REFRESH_ABSOLUTE_TTL: String(31 * 86_400) }).lifetimes.refreshIdle).toBe(30 * 86_400);
  });

  test.each([
    ['http://localhost:8080/', 'http://localhost:8080'],
    ['HTTPS://Auth.Example.ORG:443', 'https://auth.example.org'],
    ['http://localhost:80/', 'http://localhost'],
    ['https://auth.example.org:8443/', 'https://auth.example.org:8443'],
    ['https://auth.example.org/a/./b/../c/', 'https://auth.example.org/a/c'],
    ['https://auth.example.org/%2e%2E/%7Egrant/%c3%bc', 'https://auth.example.org/~grant/%C3%BC'],
    ['https://auth.example.org/Tenant%2fA', 'https://auth.example.org/Tenant%2FA'],
    ['https://%61uth.example.org', 'https://auth.example.org'],
  ])('FX-63: the address %s is %s', (given, normal) => {
    const { baseUrl, issuer } = readConfig({ ...production, BASE_URL: given, ISSUER: given });
    expect([baseUrl, issuer]).toEqual([normal, normal]);
  });
});

describe('secrets', () => {
  test.each([
    ['DATABASE_URL', 'mysql://root:hunter2@db/x'],
    ['DATABASE_URL', 'postgresql://root:hunter2@db'],
    ['DATABASE_URL', 'postgresql://root:hunter2@db1,db2/x'], // FX-30: one host
    ['DATABASE_URL', 'postgresql://root:hunter2@/x?host=db1,db2'],
    ['DATABASE_URL', 'postgresql://root:hunter2@db/x?target_session_attrs=prefer-standby'],
    ['EVENTSTORE_URL', 'http://admin:hunter2@log:2113'],
    ['TOKEN_KEYS', 'k1:hunter2'],
    ['TOKEN_KEYS', `k1:${KEY},k1:${OTHER_KEY}`],
    ['TOKEN_KEYS', `k-1:${KEY}`],
    ['TOKEN_KEYS', KEY],
    ['PERSONAL_DATA_KEYS', 'k1:hunter2'],
  ])('a bad %s is named without its value (%#)', (name, value) => {
    const problems = problemsOf({ [name]: value });
    expect(problems).toHaveLength(1);
    expect(problems[0]).toContain(`${name}: got a value that is not shown; allowed: `);
    expect(problems[0]).not.toContain('hunter2');
    expect(problems[0]).not.toContain(KEY);
  });

  test('a secret may come from a file, whose last newline does not count', () => {
    const config = readConfig({
      DATABASE_URL_FILE: fileWith(`${production.DATABASE_URL}\n`),
      EVENTSTORE_URL_FILE: fileWith(production.EVENTSTORE_URL),
      TOKEN_KEYS_FILE: fileWith(`${production.TOKEN_KEYS}\n`),
    });
    expect(config.databaseUrl).toBe(production.DATABASE_URL);
    expect(config.eventStoreUrl).toBe(production.EVENTSTORE_URL);
    expect(config.tokenKeys).toEqual(parseTokenKeys(production.TOKEN_KEYS));
  });

  test('a missing secret file, and a secret given twice, are named', () => {
    expect(problemsOf({ TOKEN_KEYS_FILE: '/does/not/exist' })).toEqual([
      'TOKEN_KEYS_FILE: cannot read "/does/not/exist" (ENOENT); allowed: a readable file with the value',
    ]);
    expect(problemsOf({ TOKEN_KEYS: `k1:${KEY}`, TOKEN_KEYS_FILE: fileWith(`k1:${KEY}`) })).toEqual([
      'TOKEN_KEYS and TOKEN_KEYS_FILE are both set; allowed: one of them',
    ]);
  });
});

describe('production', () => {
  test('works when everything required is there', () => {
    expect(readConfig(production).environment).toBe('production');
  });

  test.each(['BASE_URL', 'EVENTSTORE_URL', 'DATABASE_URL', 'TOKEN_KEYS', 'PERSONAL_DATA_KEYS'])(
    '%s is required',
    (name) => {
      const problems = problemsOf({ ...production, [name]: undefined });
      expect(problems).toHaveLength(1);
      expect(problems[0]).toContain(`${name}: got nothing; required when NODE_ENV is production; allowed: `);
    },
  );

  test('who copied .env.example for a first try learns how to get there', () => {
    expect(() => readConfig({ NODE_ENV: 'production' })).toThrow(
      /with everything\nembedded.*move \.env away/,
    );
    expect(() => readConfig({ PORT: 'x' })).not.toThrow(/move \.env away/);
  });

  test.each(['BASE_URL', 'ISSUER'])('%s is https, except on a loopback host', (name) => {
    expect(problemsOf({ ...production, [name]: 'http://auth.example.org' })[0]).toContain(
      `${name}: got "http://auth`,
    );
    for (const host of ['localhost:8080', '127.0.0.1', '[::1]:8080']) {
      expect(problemsOf({ ...production, [name]: `http://${host}` })).toEqual([]);
    }
  });

  test('a name that only begins like a loopback address is not one', () => {
    expect(problemsOf({ ...production, BASE_URL: 'http://127.0.0.1.example.org' })).toHaveLength(1);
  });
});

describe('CL-05: production refuses what travels without TLS to another machine', () => {
  const servers = [
    {
      name: 'EVENTSTORE_URL',
      allowing: 'ALLOW_INSECURE_EVENTSTORE',
      refused: [
        'esdb://log.example.org:2113?tls=false',
        'esdb://localhost:2113,log2.example.org:2113?TLS=false',
        'esdb+discover://log.example.org?connectionName=a&tls=false',
      ],
      taken: ['esdb://log.example.org:2113', 'esdb://127.0.0.1:2113?tls=false', 'esdb://localhost?tls=false'],
    },
    {
      name: 'DATABASE_URL',
      allowing: 'ALLOW_INSECURE_DATABASE',
      refused: [
        'postgresql://u:hush@db.example.org/grantbook',
        'postgresql://u:hush@db.example.org/grantbook?sslmode=disable',
        'postgresql://u:hush@127.0.0.1/grantbook?host=db.example.org',
      ],
      taken: [
        'postgresql://u:hush@db.example.org/grantbook?sslmode=verify-full',
        'postgresql://u:hush@db.example.org/grantbook?ssl=true',
        'postgresql://u:hush@127.0.0.1:5433/grantbook',
        'postgresql://u:hush@[::1]:5433/grantbook',
        'postgresql://u:hush@/grantbook?host=/var/run/postgresql',
        'postgresql://u:hush@%2Fvar%2Frun%2Fpostgresql/grantbook',
      ],
    },
    {
      name: 'KAFKA_BROKERS',
      allowing: 'ALLOW_INSECURE_KAFKA',
      refused: ['k1.example.org:9092', 'localhost:9092,k2.example.org:9092'],
      taken: ['localhost:9092,127.0.0.1:9093'],
    },
  ];

  test.each(servers)(
    '$name: the refusal names it and $allowing, and no secret',
    ({ name, allowing, refused, taken }) => {
      for (const value of refused) {
        const [problem, ...others] = problemsOf({ ...production, [name]: value });
        expect(others).toEqual([]);
        expect(problem).toMatch(new RegExp(`^${name}: got a server without TLS; allowed: .*${allowing}=1`));
        expect(problem).not.toMatch(/hush|example/);
        expect(problemsOf({ ...production, [name]: value, [allowing]: '1' })).toEqual([]);
        expect(problemsOf({ ...production, [name]: value, NODE_ENV: 'test' })).toEqual([]);
        expect(problemsOf({ ...production, [name]: value, [allowing]: '0' })).toHaveLength(1);
      }
      for (const value of taken) expect(problemsOf({ ...production, [name]: value })).toEqual([]);
    },
  );

  test('brokers are taken with TLS; a setting is 1 or 0', () => {
    expect(problemsOf({ ...production, KAFKA_BROKERS: 'k1:9092', KAFKA_TLS: 'on' })).toEqual([]);
    expect(problemsOf({ ALLOW_INSECURE_KAFKA: 'yes' })).toEqual([
      'ALLOW_INSECURE_KAFKA: got "yes"; allowed: 1 (production may use brokers without TLS) or 0 (default 0)',
    ]);
  });
});

describe('an EVENTSTORE_URL that cannot work', () => {
  const at = 'log.example.org:2113';
  const problemOf = (url: string) => problemsOf({ EVENTSTORE_URL: url }).join('\n');

  test.each([
    [`esdb://u:hush@${at}?tls=false`, 'a user and a password with tls=false', 'tls=true'],
    [`esdb+discover://u:hush@${at}?TLS=false`, 'a user and a password with tls=false', 'tls=true'],
    [`esdb://u@${at}`, 'a user and a password that cannot be read', 'user:password@'],
    [`esdb://u:hu:sh@${at}`, 'a user and a password that cannot be read', 'percent-encoded'],
    [`esdb://u:hush%@${at}`, 'a user and a password that cannot be read', 'percent-encoded'],
    [`esdb://${at}?tlsCAFile=/hush@1`, 'a user and a password that cannot be read', '%40'],
    ['esdb://u:hush@[::1]:2113', 'a host that cannot be read', 'host:port'],
    ['esdb://log.example.org:70000', 'a host that cannot be read', 'host:port'],
    ['esdb://log.example.org,,?tls=true', 'a host that cannot be read', 'separated by commas'],
    [`esdb://${at}?tls=false&tlsCAFile=/hush`, 'files of certificates with tls=false', 'tls=true'],
    [`esdb://${at}?userKeyFile=/hush`, 'only one of userCertFile and userKeyFile', 'both'],
    [`esdb://${at}?tls=hush`, 'a wrong value of tls', 'true or false'],
    [`esdb://${at}?tls=`, 'a wrong value of tls', 'true or false'],
    [`esdb://${at}?nodePreference=hush`, 'a wrong value of nodePreference', 'leader'],
    [`esdb://${at}?defaultDeadline=0`, 'a wrong value of defaultDeadline', 'above 0'],
    [`esdb://${at}?keepAliveInterval=-2`, 'a wrong value of keepAliveInterval', 'milliseconds'],
    [`esdb://${at}?tlsVerifyCert=false`, 'tlsVerifyCert=false, which has no effect', 'tlsCAFile'],
    [`esdb://${at}?throwOnAppendFailure=false`, 'wrong revisions', 'throwOnAppendFailure=true'],
    [`esdb://${at}?tls=true&tlsCaPath=hush`, 'an unknown option tlscapath', 'tlsCAFile'],
    [`esdb://${at}?hush!=1`, 'an unknown option;', 'tlsCAFile'],
  ])('FX-43: %s is one sentence that says what is allowed, without a value (%#)', (url, got, allowed) => {
    const problem = problemOf(url);
    expect(problem).toMatch(/^EVENTSTORE_URL: got [^\n]+; allowed: [^\n]+$/);
    expect(problem).toContain(got);
    expect(problem.split('; allowed: ')[1]).toContain(allowed);
    expect(problem).not.toMatch(/hush/i);
  });

  test('FX-43: what the client reads is taken, and a slash before the options is dropped', () => {
    for (const url of [
      'esdb://127.0.0.1:2113?tls=false',
      'esdb+discover://u:p%40%3A%25@log.example.org?tls=true&gossipTimeout=5&keep-alive-interval=-1',
      'esdb://a,b:1,c_d:2113?nodePreference=read_only_replica&connectionName=x%20y&discoveryInterval=100',
    ])
      expect(readConfig({ EVENTSTORE_URL: url }).eventStoreUrl).toBe(url);
    expect(readConfig({ EVENTSTORE_URL: 'esdb://log/?tls=false' }).eventStoreUrl).toBe(
      'esdb://log?tls=false',
    );
  });

  test('FX-46: a file that it names is wrong by its name: missing, without a certificate, not fitting', async () => {
    const { ca, client, server } = await makeCertificates();
    const problem = (options: Readonly<Record<string, string>>) =>
      problemOf(`esdb://u:hush@${at}?${new URLSearchParams(options).toString().replaceAll('+', '%20')}`);
    expect(problem({ tlsCAFile: '/nowhere at/ca.crt' })).toBe(
      'EVENTSTORE_URL: its tlsCAFile "/nowhere at/ca.crt" cannot be read (ENOENT); allowed: a readable file in PEM',
    );
    expect(problem({ 'tls-ca-file': fileWith('x') })).toMatch(/its tlsCAFile "[^"]+" holds no certificate;/);
    const identity = { userCertFile: fileWith(client.cert), userKeyFile: fileWith(client.key) };
    expect(problem({ tlsCAFile: fileWith(ca), ...identity })).toBe('');
    expect(problem({ ...identity, userCertFile: '/nowhere' })).toMatch(/its userCertFile "\/nowhere" cannot/);
    expect(problem({ ...identity, userKeyFile: fileWith(ca) })).toMatch(
      /its userKeyFile "[^"]+" holds no private key;/,
    );
    expect(problem({ ...identity, userKeyFile: fileWith(server.key) })).toMatch(
      /userKeyFile is not the key of its userCertFile/,
    );
  });
});

describe('Kafka', () => {
  const brokers = { KAFKA_BROKERS: 'k1:9092' };
  const scram = {
    KAFKA_SASL_MECHANISM: 'scram-sha-512',
    KAFKA_SASL_USERNAME: 'grantbook',
    KAFKA_SASL_PASSWORD: 'hunter2',
  };

  test('every setting arrives; topics have the names that they are given', async () => {
    const { ca, client } = await makeCertificates();
    const { kafka } = readConfig({
      ...brokers,
      ...scram,
      KAFKA_SASL_PASSWORD: undefined,
      KAFKA_SASL_PASSWORD_FILE: fileWith('hunter2\n'),
      KAFKA_GROUP: 'marketplace.ledger',
      KAFKA_TOPIC_ACTIVATIONS: 'a',
      KAFKA_TOPIC_GRANTS: 'b',
      KAFKA_TOPIC_ADDONS: 'c',
      KAFKA_TOPIC_PROFILES: 'd',
      KAFKA_TOPIC_RESERVATIONS: 'e',
      KAFKA_TOPIC_ACCESS_RIGHTS: 'f',
      KAFKA_TOPIC_DEAD_LETTER: 'g',
      KAFKA_CREATE_TOPICS: 'off',
      KAFKA_PARTITIONS: '12',
      KAFKA_REPLICATION_FACTOR: '2',
      KAFKA_TLS_CA_FILE: fileWith(ca),
      KAFKA_TLS_CERT: client.cert,
      KAFKA_TLS_KEY_FILE: fileWith(client.key),
    });
    expect(kafka).toEqual({
      brokers: ['k1:9092'],
      group: 'marketplace.ledger',
      topics: {
        out: { activations: 'a', grants: 'b', addons: 'c' },
        in: { profiles: 'd', reservations: 'e', accessRights: 'f' },
        deadLetter: 'g',
      },
      newTopics: { create: false, partitions: 12, replicationFactor: 2 },
      tls: { ca: ca.trim(), identity: { cert: client.cert, key: client.key.trim() } },
      sasl: { mechanism: 'scram-sha-512', username: 'grantbook', password: 'hunter2' },
    });
    expect(readConfig({ ...brokers, KAFKA_TLS: 'on' }).kafka?.tls).toEqual({ ca: null, identity: null });
  });

  test('what goes together is given together, and each missing part is named', async () => {
    const { client } = await makeCertificates();
    const named = (env: Record<string, string>) =>
      problemsOf({ ...brokers, ...env }).map((problem) => problem.split(':')[0]);
    expect(named({ KAFKA_SASL_MECHANISM: 'plain' })).toEqual(['KAFKA_SASL_USERNAME', 'KAFKA_SASL_PASSWORD']);
    expect(named({ KAFKA_SASL_PASSWORD: 'hunter2' })).toEqual([
      'KAFKA_SASL_MECHANISM',
      'KAFKA_SASL_USERNAME',
    ]);
    expect(named({ KAFKA_TLS_CERT: client.cert })).toEqual(['KAFKA_TLS_KEY']);
    expect(named({ KAFKA_TLS_KEY: client.key })).toEqual(['KAFKA_TLS_CERT']);
    expect(named({ KAFKA_TLS: 'off', KAFKA_TLS_CA: client.cert })).toEqual(['KAFKA_TLS']);
    expect(problemsOf(scram)).toEqual([
      'KAFKA_BROKERS: got nothing; needed, because KAFKA_SASL_MECHANISM is set; allowed: host:port, …',
    ]);
  });

  test('a certificate, and a key that is not its own, are refused without being shown', async () => {
    const { client, server } = await makeCertificates();
    const refused = [
      { KAFKA_TLS_CA: 'hunter2' },
      { KAFKA_TLS_CA: '-----BEGIN CERTIFICATE-----\nhunter2\n-----END CERTIFICATE-----' },
      { KAFKA_TLS_CERT: client.cert, KAFKA_TLS_KEY: server.key },
      { KAFKA_TLS_CERT: client.cert, KAFKA_TLS_KEY: 'hunter2' },
    ];
    for (const env of refused) {
      const problems = problemsOf({ ...brokers, ...env });
      expect(problems).toEqual([expect.stringMatching(/^KAFKA_TLS_\w+: got a value that is not shown/)]);
      expect(problems[0]).not.toMatch(/hunter2|BEGIN/);
    }
  });

  test('in production no password travels as plain text', () => {
    const plain = {
      ...production,
      ...brokers,
      ...scram,
      KAFKA_SASL_MECHANISM: 'plain',
      ALLOW_INSECURE_KAFKA: '1',
    };
    expect(problemsOf(plain)).toEqual([expect.stringMatching(/^KAFKA_SASL_MECHANISM: got "plain"; allowed/)]);
    expect(problemsOf({ ...plain, KAFKA_TLS: 'on' })).toEqual([]);
    expect(
      problemsOf({ ...plain, KAFKA_SASL_MECHANISM: 'scram-sha-256', ALLOW_INSECURE_KAFKA: '1' }),
    ).toEqual([]);
    expect(problemsOf({ ...plain, NODE_ENV: 'test' })).toEqual([]);
  });

  test('no two topics have one name, nor names that Kafka takes for one', () => {
    expect(problemsOf({ KAFKA_TOPIC_GRANTS: 'grantbook_addons' })).toEqual([
      'KAFKA_TOPIC_ADDONS: got "grantbook.addons"; allowed: another name than that of KAFKA_TOPIC_GRANTS',
    ]);
  });
});

describe('unknown settings', () => {
  test.each([
    ['PROT', 'PORT'],
    ['DATABSE_URL', 'DATABASE_URL'],
    ['EVENT_STORE_URL', 'EVENTSTORE_URL'],
    ['KAFKA_BROKER', 'KAFKA_BROKERS'],
    ['TOKEN_KEY', 'TOKEN_KEYS'],
    ['TOKENKEYS_FILE', 'TOKEN_KEYS'],
    ['RATE_LIMIT_SIGNIN', 'RATE_LIMIT_SIGN_IN'],
    ['KAFKA_TOPIC_ADDON', 'KAFKA_TOPIC_ADDONS'],
  ])('%s is taken for a misspelt %s', (name, meant) => {
    expect(problemsOf({ [name]: 'x' }, [name])).toEqual([`${name}: unknown setting; did you mean ${meant}?`]);
  });

  test('a name of one of our families is refused with the names that exist', () => {
    expect(problemsOf({ RATE_LIMIT_EVERYTHING: '1' }, ['RATE_LIMIT_EVERYTHING'])).toEqual([
      'RATE_LIMIT_EVERYTHING: unknown setting; allowed: RATE_LIMIT_ACTIVATION, RATE_LIMIT_ADDON, RATE_LIMIT_TOKEN, RATE_LIMIT_AUTHORIZE, RATE_LIMIT_REVOKE, RATE_LIMIT_INTROSPECT, RATE_LIMIT_SIGN_IN, RATE_LIMIT_SIGN_IN_STEPS, RATE_LIMIT_STORE',
    ]);
  });

  test('only secrets come from files', () => {
    expect(problemsOf({ PORT_FILE: '/run/port' }, ['PORT_FILE'])).toEqual([
      'PORT_FILE: only secrets come from a file; set PORT itself',
    ]);
  });

  test('the variables of other programs are left alone', () => {
    const others = {
      HOME: '/root',
      POSTGRES_USER: 'x',
      KAFKA_PORT: 'tcp://10.0.0.1:9092',
      HOSTNAME: 'box',
      PATH: '/bin',
    };
    expect(problemsOf(others, Object.keys(others))).toEqual([]);
  });

  test('FX-74: in the environment, which others share, such a name is a warning', () => {
    const others = { TOKEN_KEY: 'x', KAFKA_TLS_SERVICE_HOST: '10.0.0.1' };
    expect(problemsOf(others)).toEqual([]);
    expect(readConfig(others).unknown).toEqual([
      'TOKEN_KEY: unknown setting; did you mean TOKEN_KEYS?',
      expect.stringContaining('KAFKA_TLS_SERVICE_HOST: unknown setting; allowed: KAFKA_TLS'),
    ]);
  });

  test('FX-74: the file .env may begin with a byte order mark, and tells which names are its own', () => {
    const env = { PORT: '8' };
    expect(addFromFile(env, '\uFEFFPROT=1\nCODE_TTL=30\nPORT=9\n').toSorted()).toEqual(['CODE_TTL', 'PROT']);
    expect(env).toEqual({ PROT: '1', CODE_TTL: '30', PORT: '8' });
  });
});

test('FX-87: a .env file changes nothing of Node, of proxies, of the browser, or of the command line over the API', () => {
  const refused = ['NODE_TLS_REJECT_UNAUTHORIZED', 'NODE_OPTIONS', 'BROWSER', 'HTTPS_PROXY', 'no_proxy'];
  const names = [...refused, 'GRANTBOOK_SERVER', 'GRANTBOOK_TOKEN', 'NODE_ENV'];
  const env = {};
  expect(addFromFile(env, names.map((name) => `${name}=test`).join('\n'))).toEqual(['NODE_ENV']);
  expect(env).toEqual({ NODE_ENV: 'test' });
});

test('FX-74: BRAND_FILE and SIGN_IN_PROVIDERS_FILE may begin with a byte order mark', () => {
  expect(readConfig({ BRAND_FILE: fileWith('\uFEFF{"name":"Harbour"}') }).brand).toMatchObject({
    name: 'Harbour',
  });
  const problems = problemsOf({ SIGN_IN_PROVIDERS_FILE: fileWith('\uFEFF[{"id":"x"}]') });
  expect(problems[0]).toMatch(/^SIGN_IN_PROVIDERS_FILE: \[0\]\./); // it was read
});
