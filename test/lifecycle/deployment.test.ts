import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { readConfig } from '../../src/config/config.ts';
import { isRequiredInProduction, isSecret, settingNames } from '../../src/config/settings.ts';
import { packageRoot, packageVersion } from '../../src/process/package-root.ts';

const read = (name: string) => readFileSync(join(packageRoot, name), 'utf8');
const anyKey = `k1:${'A'.repeat(43)}`;
const keys = { TOKEN_KEYS: anyKey, PERSONAL_DATA_KEYS: anyKey };

describe('.env.example', () => {
  const lines = read('.env.example').split('\n');
  const settings = lines.flatMap((line) => {
    const [, mark, name, value] = /^(# )?([A-Z][A-Z_]+)=(.*)$/.exec(line) ?? [];
    return name ? [{ name, value: value ?? '', isDefault: mark !== undefined }] : [];
  });
  const envOf = (some: typeof settings) => Object.fromEntries(some.map(({ name, value }) => [name, value]));

  test('explains every setting and nothing else', () => {
    const files = settingNames.filter(isSecret).map((name) => `${name}_FILE`);
    expect(settings.map(({ name }) => name).toSorted()).toEqual([...settingNames, ...files].toSorted());
  });

  test('sets what production requires, and needs only keys to start', () => {
    const set = settings.filter(({ isDefault }) => !isDefault);
    const required = settingNames.filter(isRequiredInProduction);
    expect(set.map(({ name }) => name).toSorted()).toEqual(['NODE_ENV', ...required].toSorted());
    expect(readConfig({ ...envOf(set), ...keys }).environment).toBe('production');
    expect(() => readConfig(envOf(set))).toThrow(
      /TOKEN_KEYS: got nothing[^]*PERSONAL_DATA_KEYS: got nothing/,
    );
  });

  test('CL-05: shows the event store and the database with TLS', () => {
    const valueOf = (name: string) => settings.find((setting) => setting.name === name)?.value;
    expect(valueOf('EVENTSTORE_URL')).toMatch(/^esdb:\/\/grantbook:.*tls=true/);
    expect(valueOf('DATABASE_URL')).toContain('sslmode=verify-full');
  });

  test('shows the defaults as they are', () => {
    expect(readConfig(envOf(settings.filter(({ isDefault }) => isDefault)))).toEqual(readConfig({}));
  });
});

test('FX-49: the documents say that the event store reads EVENTSTORE_* from its own environment', () => {
  for (const file of ['docs/how-to/prepare-the-servers.md', '.env.example', 'docker-compose.yml'])
    expect(read(file)).toMatch(/reads? `?EVENTSTORE_\*`? (from their own environment|as its own settings)/);
});

describe('docker-compose.yml', () => {
  type Service = {
    readonly image?: string;
    readonly restart?: string;
    readonly mem_limit?: string;
    readonly environment?: Record<string, string>;
    readonly volumes?: readonly string[];
    readonly healthcheck?: object;
    readonly depends_on?: Record<string, { readonly condition: string }>;
  };
  /** With the values that it has by default. */
  const text = read('docker-compose.yml').replace(/\$\{\w+:-(\w*)\}/g, '$1');
  const compose = parse(text, { uniqueKeys: true, merge: true }) as {
    readonly services: Record<string, Service>;
    readonly volumes: Record<string, unknown>;
  };
  const service = compose.services['grantbook'];

  test('starts the service with production settings that it accepts', () => {
    const { TOKEN_KEYS_FILE, PERSONAL_DATA_KEYS_FILE, ...env } = service?.environment ?? {};
    expect(TOKEN_KEYS_FILE).toBe('/keys/token-keys');
    expect(PERSONAL_DATA_KEYS_FILE).toBe('/keys/personal-data-keys');
    expect(readConfig({ ...env, ...keys })).toMatchObject({
      environment: 'production',
      kafka: { brokers: ['kafka:9092'] },
    });
  });

  test('waits until everything that the service needs is healthy or done', () => {
    const conditions = ['grantbook', 'migrate'].flatMap((name) =>
      Object.entries(compose.services[name]?.depends_on ?? {}),
    );
    expect(Object.fromEntries(conditions.map(([name, { condition }]) => [name, condition]))).toEqual({
      eventstore: 'service_healthy',
      postgres: 'service_healthy',
      kafka: 'service_healthy',
      'token-keys': 'service_completed_successfully',
      migrate: 'service_completed_successfully',
    });
    for (const name of ['eventstore', 'postgres', 'kafka'])
      expect(compose.services[name]?.healthcheck).toBeDefined();
  });

  test('pins the KurrentDB with long-term support, by settings and folders of its own name', () => {
    const { image, environment = {}, volumes } = compose.services['eventstore'] ?? {};
    expect(image).toBe('kurrentplatform/kurrentdb:26.0.3');
    expect(Object.keys(environment).every((name) => name.startsWith('KURRENTDB_'))).toBe(true);
    expect(volumes).toEqual(['kurrentdb-data:/var/lib/kurrentdb', 'kurrentdb-logs:/var/log/kurrentdb']);
  });

  test('CL-05: says of all three servers that they are meant to be without TLS', () => {
    const { TOKEN_KEYS_FILE: _, PERSONAL_DATA_KEYS_FILE: __, ...env } = service?.environment ?? {};
    for (const server of ['EVENTSTORE', 'DATABASE', 'KAFKA']) {
      const name = `ALLOW_INSECURE_${server}`;
      expect(() => readConfig({ ...env, ...keys, [name]: '' })).toThrow(`${name}=1`);
    }
  });

  test('AP-12: everything but what ends by itself comes back after a reboot, with bounded memory', () => {
    for (const [name, { restart, mem_limit: limit }] of Object.entries(compose.services)) {
      expect([name, limit]).toEqual([name, expect.stringMatching(/^\d+[mg]$/)]);
      const ends = Object.values(compose.services).some(
        (other) => other.depends_on?.[name]?.condition === 'service_completed_successfully',
      );
      expect([name, restart]).toEqual([name, ends ? undefined : 'unless-stopped']);
    }
  });

  test('AP-12: the service and its commands are one image, read-only and without capabilities', () => {
    for (const name of ['token-keys', 'migrate', 'grantbook'])
      expect(compose.services[name]).toMatchObject({
        image: 'grantbook',
        read_only: true,
        cap_drop: ['ALL'],
        security_opt: ['no-new-privileges:true'],
      });
  });

  test('declares every volume that it mounts', () => {
    const mounted = Object.values(compose.services).flatMap(({ volumes = [] }) =>
      volumes.map((volume) => volume.split(':')[0]),
    );
    expect(new Set(mounted)).toEqual(new Set(Object.keys(compose.volumes)));
  });

  test('holds no key', () => {
    expect(read('docker-compose.yml')).not.toMatch(/k\d:[\w-]{43}/);
  });
});

test('the image leaves nothing behind that .dockerignore does not name, and runs as an ordinary user', () => {
  expect(read('.dockerignore').split('\n')).toEqual(
    expect.arrayContaining(['.env', '.git', '.grantbook', '**/node_modules', '**/dist']),
  );
  expect(read('Dockerfile')).toMatch(/^USER node$/m);
});

test('an image has the package.json of each package before it installs, and the packages in the end', () => {
  const stages = read('Dockerfile')
    .split(/^FROM /m)
    .slice(1);
  const installing = stages.filter((stage) => stage.includes('npm ci'));
  expect(installing).toHaveLength(2);
  for (const name of readdirSync(join(packageRoot, 'packages')))
    for (const stage of installing)
      expect(stage.slice(0, stage.indexOf('npm ci'))).toContain(`COPY packages/${name}/package.json`);
  expect(stages.at(-1)).toContain('COPY --from=build /app/packages packages');
});

test('AP-13: the changelog has this version first, with what an upgrade to it needs', () => {
  const [, newest = ''] = read('CHANGELOG.md').split(/^## /m);
  expect(newest.startsWith(`${packageVersion} – `)).toBe(true);
  expect(newest).toMatch(/^### Upgrading$/m);
  expect(read('README.md')).toContain(`Version ${packageVersion}: `);
});

test('AP-13: every package has the version of the service, and says so in its README', () => {
  for (const name of readdirSync(join(packageRoot, 'packages'))) {
    const { version } = JSON.parse(read(`packages/${name}/package.json`)) as { readonly version: string };
    expect([name, version]).toEqual([name, packageVersion]);
    expect(read(`packages/${name}/README.md`)).toContain(`./grantbook-${name}-${packageVersion}.tgz`);
  }
  const { devDependencies } = JSON.parse(read('packages/eventstore-node/example/package.json')) as {
    readonly devDependencies: Readonly<Record<string, string>>;
  };
  expect(devDependencies['@grantbook/eventstore-node']).toBe(`^${packageVersion}`);
});

test('FX-74: in the Kubernetes example no service of the namespace adds names to the environment', () => {
  const pods = parseAllDocuments(read('deploy/grantbook.yaml'))
    .map((each) => each.toJS() as { spec?: { template?: { spec: { enableServiceLinks?: boolean } } } })
    .flatMap(({ spec }) => spec?.template?.spec ?? []);
  expect(pods.length).toBeGreaterThan(1);
  for (const { enableServiceLinks } of pods) expect(enableServiceLinks).toBe(false);
});
