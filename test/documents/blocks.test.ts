import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { readConfig } from '../../src/config/config.ts';
import { isSecret, settingNames } from '../../src/config/settings.ts';
import { healthPaths } from '../../src/http/health/health-paths.ts';
import { packageRoot } from '../../src/process/package-root.ts';
import { unknownCommands } from '../support/documents/advised-commands.ts';
import { blocksOf, deployed, pages, type Block } from '../support/documents/runbook.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** What a block that is not run needs or does. Everything else is run: run.system.test.ts says where. */
const reasons = [
  'starts the service',
  'settings of the terminal',
  'changes the machine',
  'needs a cluster',
  'needs an event store with users',
  'needs docker',
  'needs nginx',
  'needs systemd',
];
const blocks = pages.flatMap((page) => blocksOf(page).map((block) => ({ page, ...block })));
const fileOf = (name: string): Block =>
  blocks.find(({ mark }) => mark === `file: ${name}`) ?? expect.fail(`no page has the file ${name}`);
const folder = temporaryFolder();
const write = (name: string, text = fileOf(name).text): string => {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
};

test('every block is a command, its output, an exchange of messages, or a marked file', () => {
  const wrong = blocks.filter(
    ({ page, language, mark }) =>
      !(
        (['sh', 'sql', 'text'].includes(language) && mark === null) ||
        (language === 'sh' && reasons.includes((mark ?? '').replace(/^not run: /, ''))) ||
        (page === 'tutorials/receive-signals' && mark === null) ||
        /^(?:file: [\w.-]+|settings)$/.test(mark ?? '')
      ),
  );
  expect(wrong).toEqual([]);
});

test('every command of ours, also in a sentence, has the options that are written', async () => {
  const texts = pages.map((page) =>
    readFileSync(join(packageRoot, `docs/${page}.md`), 'utf8').replaceAll('\\\n', ' '),
  );
  const commands = texts
    .flatMap(
      (text) =>
        text.match(/(?<=[\n`(] *|&& |exec [^\n]*)\bgrantbook (?!grantbook )[a-z][^\n`"$#>|&…]*/g) ?? [],
    )
    .map((command) =>
      command
        .replace(/(projections \w+) [\w-]+/, '$1 NAME')
        .replaceAll(/\s+/g, ' ')
        .trim(),
    );
  expect(new Set(commands).size).toBeGreaterThan(60);
  expect(await unknownCommands([...new Set(commands)])).toEqual([]);
});

test('the programs of the image, of a checkout and of the compose file are where commands say', () => {
  const texts = [...blocks.map(({ text }) => text), deployed('grantbook.service')];
  const named = texts.flatMap((text) => text.match(/\bdist\/src\/[\w/]+\.js/g) ?? []);
  expect(new Set(named)).toEqual(new Set(['dist/src/cli/grantbook.js', 'dist/src/main.js']));
  for (const path of new Set(named))
    expect(() =>
      readFileSync(join(packageRoot, path.replace('dist/', '').replace('.js', '.ts'))),
    ).not.toThrow();
  const scripts = blocks.flatMap(({ text }) =>
    [...text.matchAll(/npm (?:run )?(\w+)/g)].map(([, name = '']) => name),
  );
  const known = JSON.parse(readFileSync(join(packageRoot, 'package.json'), 'utf8')) as { scripts: object };
  expect(
    scripts.filter((name) => !['ci', 'prune', 'install'].includes(name) && !(name in known.scripts)),
  ).toEqual([]);
  const services = blocks.flatMap(
    ({ text }) => text.match(/docker compose exec \S+ (\w+) grantbook/)?.[1] ?? [],
  );
  for (const service of services)
    expect(readFileSync(join(packageRoot, 'docker-compose.yml'), 'utf8')).toContain(`\n  ${service}:\n`);
});

const known = new Set([...settingNames, ...settingNames.filter(isSecret).map((name) => `${name}_FILE`)]);
const unknownSettings = (names: readonly string[]) => names.filter((name) => !known.has(name));

test('the settings of the pages about deployment are accepted', () => {
  const settings = blocks.filter(({ mark }) => mark === 'settings');
  expect(settings.length).toBeGreaterThan(0);
  for (const { text } of settings) expect(() => readConfig(pairsOf(text.split('\n')))).not.toThrow();
});

const pairsOf = (assignments: readonly string[]): Readonly<Record<string, string>> =>
  Object.fromEntries(
    assignments.filter((line) => line !== '').map((line) => [line.split('=')[0], line.split('=')[1]]),
  ) as Record<string, string>;

test('the file of sign-in providers is accepted', () => {
  write('acme-secret', 'secret');
  const { signIn } = readConfig({ SIGN_IN_PROVIDERS_FILE: write('providers.json') });
  expect(signIn.providers.map(({ id }) => id)).toEqual(['acme']);
});

describe('the unit of systemd', () => {
  const unit = deployed('grantbook.service');

  test('has settings that there are, and stops later than the service', () => {
    const [, environment = ''] = /^Environment=(.*)$/m.exec(unit) ?? [];
    const settings = pairsOf(environment.split(' '));
    expect(unknownSettings(Object.keys(settings))).toEqual([]);
    const timeout = Number(/^TimeoutStopSec=(\d+)$/m.exec(unit)?.[1]);
    expect(timeout).toBeGreaterThan(Number(settings['SHUTDOWN_DELAY']) + 5);
    expect(unit).toContain('ExecStart=/usr/bin/node dist/src/main.js\n');
  });
});

describe('the objects of Kubernetes', () => {
  type Port = { readonly name: string; readonly containerPort: number };
  type Probe = { readonly httpGet: { readonly path: string; readonly port: string } };
  type Container = {
    readonly env: readonly { readonly name: string; readonly value: string }[];
    readonly ports: readonly Port[];
    readonly livenessProbe: Probe;
    readonly readinessProbe: Probe;
  };
  const [job, deployment, service, budget] = parseAllDocuments(deployed('grantbook.yaml')).map(
    (document) => document.toJS({}) as never,
  ) as unknown as readonly [
    {
      readonly spec: { readonly template: { readonly spec: { readonly containers: readonly [Container] } } };
    },
    {
      readonly spec: {
        readonly template: {
          readonly spec: {
            readonly containers: readonly [Container];
            readonly terminationGracePeriodSeconds: number;
            readonly volumes: readonly [{ readonly secret: { readonly secretName: string } }];
          };
          readonly metadata: { readonly labels: object };
        };
        readonly selector: { readonly matchLabels: object };
      };
    },
    {
      readonly spec: {
        readonly selector: object;
        readonly ports: readonly [{ readonly targetPort: string }];
      };
    },
    { readonly spec: { readonly selector: { readonly matchLabels: object } } },
  ];
  const { spec: pod, metadata } = deployment.spec.template;
  const [container] = pod.containers;
  const valueOf = (name: string) => container.env.find((setting) => setting.name === name)?.value;

  test('have settings that there are, and the secrets that are made', () => {
    expect(unknownSettings(container.env.map(({ name }) => name))).toEqual([]);
    const files = container.env.flatMap(({ value }) =>
      value.startsWith('/secrets/') ? [value.slice(9)] : [],
    );
    const [make = ''] = blocks.flatMap(({ text }) => (text.includes('kubectl create secret') ? [text] : []));
    expect([...make.matchAll(/--from-file=([\w-]+)/g)].map(([, name]) => name)).toEqual(files);
    expect(make).toContain(`secret generic ${pod.volumes[0].secret.secretName} `);
  });

  test('migrate with the settings of the deployment', () => {
    const [{ env, ...migrating }] = job.spec.template.spec.containers;
    expect(container.env).toEqual(expect.arrayContaining([...env]));
    expect(migrating).toMatchObject({ args: ['migrate'] });
  });

  test('ask the port of readiness, and stop later than the service', () => {
    expect(container.ports).toContainEqual({
      name: 'management',
      containerPort: Number(valueOf('MANAGEMENT_PORT')),
    });
    for (const { httpGet } of [container.livenessProbe, container.readinessProbe]) {
      expect(Object.keys(healthPaths)).toContain(httpGet.path);
      expect(httpGet.port).toBe('management');
    }
    expect(pod.terminationGracePeriodSeconds).toBeGreaterThan(Number(valueOf('SHUTDOWN_DELAY')) + 5);
    expect(readFileSync(join(packageRoot, 'Dockerfile'), 'utf8')).toContain('PORT=8080');
  });

  test('select the pods, and the port of requests', () => {
    const selectors = [
      deployment.spec.selector.matchLabels,
      service.spec.selector,
      budget.spec.selector.matchLabels,
    ];
    expect(selectors).toEqual(selectors.map(() => metadata.labels));
    expect(container.ports.map(({ name }) => name)).toContain(service.spec.ports[0].targetPort);
  });
});

describe('the configuration of nginx', () => {
  const text = deployed('grantbook.conf');

  test('waits longer than a poll, and passes on what the service reads', () => {
    expect(Number(/proxy_read_timeout (\d+)s;/.exec(text)?.[1])).toBeGreaterThan(30);
    expect(text).toContain('X-Forwarded-For $proxy_add_x_forwarded_for;');
    expect(text.match(/\{/g)).toHaveLength(text.match(/\}/g)?.length ?? 0);
  });
});

test('FX-107: the settings of a node keep what a copy and a cluster need, and each rule of Prometheus says what to do', () => {
  const [conf, rules] = ['kurrentdb.conf', 'kurrentdb-alerts.yaml'].map((name) =>
    parseAllDocuments(fileOf(name).text)[0]?.toJS(),
  ) as [object, { groups: { rules: { expr: string; annotations: { summary: string } }[] }[] }];
  expect(conf).toMatchObject({
    ClusterSize: 3,
    RunProjections: 'None',
    SecondaryIndexing: { Enabled: false },
  });
  const all = rules.groups.flatMap((group) => group.rules);
  expect(all.length).toBeGreaterThan(3);
  for (const { expr, annotations } of all) {
    expect(expr).toMatch(/^up\b|kurrentdb_/);
    expect(annotations.summary).toMatch(/\w/);
  }
});
