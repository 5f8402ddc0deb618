import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { nameOf, parse, walk, type Node } from './support/documents/syntax.ts';
import { systemTests } from './support/tiers.ts';

/**
 * Which folders of src may import which: `values` as they are, `types` only by `import type`. A folder may always import
 * itself, and every one but the domain, which takes texts alone from it, may import `common`.
 */
type Rule = {
  readonly folders: readonly string[];
  readonly values: readonly string[];
  readonly types: readonly string[];
};

const words = (text: string): readonly string[] => text.split(' ').filter((word) => word !== '');
const rule = (folders: string, values = '', types = ''): Rule => ({
  folders: words(folders),
  values: words(values),
  types: words(types),
});

/** The log as everybody sees it, and what a span carries: both without a connection. */
const log = 'eventstore/event-store';
const tracing = 'observability/tracing';

const rules: readonly Rule[] = [
  rule('common domain', 'common/words ../locales'),
  rule('eventstore', 'domain'),
  rule('commands', `domain ${log} eventstore/state-of ${tracing}`, 'eventstore projections/read-models'),
  rule('projections', `domain ${log}`, 'eventstore'),
  rule(
    'tasks personal signing',
    `domain ${log} eventstore/codec eventstore/state-of commands audit/timeline`,
    'config eventstore kafka mail projections signals signing',
  ),
  rule(
    'audit',
    `domain ${log} eventstore/codec eventstore/state-of commands tasks`,
    'config eventstore kafka projections reactions signals signing',
  ),
  rule(
    'federation kafka mail reactions signals',
    `domain ${log} eventstore/skipped-events ${tracing} audit commands kafka projections signals`,
    'config eventstore signing',
  ),
  rule(
    'http',
    `domain ${log} ${tracing} tasks audit/timeline signals/set-types ../locales`,
    'audit commands config federation observability projections signals signing',
  ),
  rule('config embedded', 'domain eventstore/server kafka/topics process/package-root', 'config'),
  rule('observability', `domain ${log} eventstore/server kafka projections signals`, 'eventstore http'),
];

/** The composition root, the entry points and what they share: everything is theirs to import. */
const everything = ['compose', 'process', 'main', 'cli'];

/** Which folders use which package; all others of package.json are used by the entry points alone. */
const packages: Readonly<Record<string, readonly string[]>> = {
  '@eventstore/db-client': ['eventstore'],
  '@fastify/cookie': ['http'],
  '@fastify/swagger': ['http'],
  '#eventstore-node': ['embedded'],
  '#log-copy': ['eventstore'],
  '#verify': ['audit', 'signing'],
  '@grpc/grpc-js': ['eventstore'],
  '@node-rs/argon2': ['commands'],
  '@opentelemetry/api': ['observability'],
  '@opentelemetry/sdk-node': ['observability'],
  '@simplewebauthn/server': ['commands'],
  '@zxcvbn-ts/language-common': ['commands'],
  'intl-messageformat': ['common'],
  asn1js: ['embedded'],
  marked: ['http'],
  fastify: ['http'],
  fzstd: ['kafka'],
  'ipaddr.js': ['signals'],
  jose: ['signals', 'federation', 'signing'],
  kafkajs: ['kafka'],
  'lru-cache': ['eventstore', 'commands', 'projections', 'signals', 'audit', 'personal', 'kafka', 'http'],
  'lz4-napi': ['kafka'],
  nodemailer: ['mail'],
  'openid-client': ['federation'],
  'p-map': ['audit', 'kafka'],
  pg: ['common', 'projections', 'reactions', 'signals', 'personal', 'federation', 'signing'],
  pino: ['kafka'],
  pkijs: ['embedded'],
  'rate-limiter-flexible': ['http'],
  snappy: ['kafka'],
  tinyqueue: ['audit'],
  ulid: ['commands'],
  undici: ['common'],
  unhomoglyph: ['tasks'],
  zod: ['domain', 'eventstore', 'embedded', 'tasks', 'audit', 'kafka', 'http', 'config'],
  'node:crypto': ['common', 'commands', 'personal'],
  'node:': [
    'common',
    'eventstore',
    'embedded',
    'projections',
    'reactions',
    'signals',
    'audit',
    'observability',
    'kafka',
    'http',
    'federation',
    'signing',
    'config',
  ],
};

const root = resolve(import.meta.dirname, '..');
const filesIn = (folder: string): readonly string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .sort();
const sourceFiles = filesIn(join(root, 'src'));
/** Those with sources of their own: `remote` is made of src/cli/remote. */
const packageNames = readdirSync(join(root, 'packages')).filter((name) => name !== 'remote');

type Import = { readonly from: string; readonly typeOnly: boolean };

const importPattern =
  /(?:^|\n)\s*(?:import|export)\s+(type\s+)?((?:[\w*\s{},$]|\btype\b)*?)\s*from\s*'([^']+)'/g;

const importsOf = (source: string): readonly Import[] =>
  [...source.matchAll(importPattern)].map(([, type, names, from]) => ({
    from: from ?? '',
    typeOnly: type !== undefined || namesAreTypes(names ?? ''),
  }));

const namesAreTypes = (names: string): boolean => {
  const inner = /^\{([\s\S]*)\}$/.exec(names.trim())?.[1];
  if (inner === undefined) return false;
  const listed = inner.split(',').map((name) => name.trim());
  return listed.filter((name) => name !== '').every((name) => name.startsWith('type '));
};

const folderOf = (file: string): string =>
  file.includes('/') ? (file.split('/')[0] ?? '') : file.replace(/\.ts$/, '');

const covers = (allowed: readonly string[], target: string): boolean =>
  allowed.some((each) => target === each || target === `${each}.ts` || target.startsWith(`${each}/`));

const isOfPackage = (name: string, from: string): boolean =>
  name === 'node:' ? from.startsWith('node:') : from === name || from.startsWith(`${name}/`);

const packageAllowed = (allowed: readonly string[], from: string): boolean =>
  allowed.some((name) => isOfPackage(name, from));

const violation = (file: string, { from, typeOnly }: Import): string | null => {
  const folder = folderOf(file);
  const allowed = rules.find(({ folders }) => folders.includes(folder));
  if (!allowed) return `${file}: the folder ${folder} has no rule`;
  if (!from.startsWith('.')) {
    const own = Object.keys(packages).filter((name) => packages[name]?.includes(folder));
    return packageAllowed(own, from) ? null : `${file} may not import the package ${from}`;
  }
  const target = relative(join(root, 'src'), resolve(join(root, 'src'), dirname(file), from));
  if (folderOf(target) === folder || covers(allowed.values, target)) return null;
  if (folder !== 'domain' && covers(['common'], target)) return null;
  if (covers(allowed.types, target)) return typeOnly ? null : `${file} may import only types from ${target}`;
  return `${file} may not import ${target}`;
};

const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  readonly dependencies: Readonly<Record<string, string>>;
  readonly optionalDependencies: Readonly<Record<string, string>>;
  readonly imports: Readonly<Record<string, unknown>>;
};

/** By file, which files of ours it imports, as values or as types: who reads a file has to read those, too. */
const readImports = (folder: string): ReadonlyMap<string, readonly string[]> =>
  new Map(
    filesIn(folder).map((file) => {
      const imports = importsOf(readFileSync(join(folder, file), 'utf8'));
      const own = imports.filter(({ from }) => from.startsWith('.'));
      return [file, own.map(({ from }) => join(dirname(file), from))];
    }),
  );

/** What a file imports as values, also for its effects, and when it runs (`import()`). */
const valuesOf = (source: string): readonly string[] => [
  ...importsOf(source).flatMap(({ from, typeOnly }) => (typeOnly ? [] : [from])),
  ...[...source.matchAll(/(?:^import |\bimport\(\s*)'([^']+)'/gm)].map(([, from = '']) => from),
];

/** What a file imports as values, by way of others. */
const reachedFrom = (start: string) => {
  const seen = new Set<string>();
  const outside = new Set<string>();
  const reach = (file: string): void => {
    if (seen.has(file)) return;
    seen.add(file);
    const source = readFileSync(join(root, 'src', file), 'utf8');
    for (const from of valuesOf(source))
      if (from.startsWith('.')) reach(join(dirname(file), from));
      else if (!from.startsWith('node:')) outside.add(from);
  };
  reach(start);
  return { files: [...seen].toSorted(), packages: [...outside].toSorted() };
};

/** The files that lie on a circle of imports, or between two: what is left without those that nobody left imports, or that import none left. */
const onCircles = (imports: ReadonlyMap<string, readonly string[]>): readonly string[] => {
  const imported = new Set([...imports.values()].flat());
  const left = [...imports].flatMap(([file, targets]): [string, readonly string[]][] => {
    const there = targets.filter((target) => imports.has(target));
    return imported.has(file) && there.length > 0 ? [[file, there]] : [];
  });
  return left.length === imports.size ? [...imports.keys()] : onCircles(new Map(left));
};

describe('the house', () => {
  test.each(['src', ...packageNames.map((name) => `packages/${name}/src`)])(
    'no file of %s imports, by way of others, itself: neither values nor types',
    (folder) => {
      const imports = readImports(join(root, folder));
      expect([...imports.values()].flat().length).toBeGreaterThan(imports.size);
      expect(onCircles(imports)).toEqual([]);
    },
  );

  test('a circle of files would be noticed, and who only imports it or is imported by it is not on it', () => {
    const imports = { a: ['b'], b: ['c'], c: ['b', 'd'], d: [] };
    expect(onCircles(new Map(Object.entries(imports)))).toEqual(['b', 'c']);
  });

  test('each folder has one of ten rules, and uses the packages that the table gives to it', () => {
    expect(rules.length).toBeLessThanOrEqual(10);
    const folders = rules.flatMap((each) => each.folders);
    const there = readdirSync(join(root, 'src')).map((entry) => entry.replace(/\.ts$/, ''));
    expect([...folders, ...everything].toSorted()).toEqual(there.toSorted());
    const used = (folder: string, name: string): boolean =>
      sourceFiles
        .filter((file) => folderOf(file) === folder)
        .flatMap((file) => importsOf(readFileSync(join(root, 'src', file), 'utf8')))
        .some(({ from }) => isOfPackage(name, from));
    const idle = Object.entries(packages).flatMap(([name, users]) =>
      users.filter((folder) => !used(folder, name)).map((folder) => `${folder} does not use ${name}`),
    );
    expect(idle).toEqual([]);
    const unknown = Object.keys(packages).filter(
      (name) => !(name in { ...manifest.dependencies, ...manifest.imports }),
    );
    expect(unknown.filter((name) => !name.startsWith('node:'))).toEqual([]);
  });

  test('every import is one that the rule of its folder allows', () => {
    const found = sourceFiles
      .filter((file) => !everything.includes(folderOf(file)))
      .flatMap((file) =>
        importsOf(readFileSync(join(root, 'src', file), 'utf8')).map((imported) => violation(file, imported)),
      )
      .filter((line) => line !== null);
    expect(found).toEqual([]);
  });

  test.each([
    {
      file: 'domain/access/pkce.ts',
      source: "import { createHash } from 'node:crypto';",
      found: 'domain/access/pkce.ts may not import the package node:crypto',
    },
    {
      file: 'http/lists/page.ts',
      source: "import { Pool } from 'pg';",
      found: 'http/lists/page.ts may not import the package pg',
    },
    {
      file: 'http/oauth/token/token.ts',
      source: "import { makeCommands } from '../../../commands/make-commands.ts';",
      found: 'http/oauth/token/token.ts may import only types from commands/make-commands.ts',
    },
    {
      file: 'domain/access/grant.ts',
      source: "import {\n  type Row,\n  read,\n} from '../../projections/fence.ts';",
      found: 'domain/access/grant.ts may not import projections/fence.ts',
    },
  ])('the rule would notice: $found', ({ file, source, found }) => {
    expect(importsOf(source).map((imported) => violation(file, imported))).toEqual([found]);
  });

  test('src has at most 22 entries, and no folder more than 25 files, unless they are all of one kind', () => {
    expect(readdirSync(join(root, 'src')).length).toBeLessThanOrEqual(22);
    const ofOneKind = new Set([
      'src/projections/migrations',
      'test/fixtures/events',
      'test/fixtures/messages',
    ]);
    const files = ['src', 'test', 'demo', 'bench'].flatMap((folder) =>
      readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => relative(root, entry.parentPath)),
    );
    const count = (folder: string) => files.filter((each) => each === folder).length;
    const crowded = [...new Set(files)].filter((folder) => count(folder) > 25 && !ofOneKind.has(folder));
    expect(crowded).toEqual([]);
  });

  test('the layers call the same subjects by the same names', () => {
    const subjects =
      'kernel access addons publishers organizations people sign-in records signals log fence'.split(' ');
    const others: Record<string, readonly string[]> = {
      domain: [],
      commands: ['credentials'],
      projections:
        'database follow history leadership lists log-guard migrations operations parking read-counts rebuild retention usage-counts working-state'.split(
          ' ',
        ),
    };
    const unknown = Object.entries(others).flatMap(([layer, own]) =>
      readdirSync(join(root, 'src', layer), { withFileTypes: true })
        .filter((entry) => entry.isDirectory() && ![...subjects, ...own].includes(entry.name))
        .map(({ name }) => `${layer}/${name}`),
    );
    expect(unknown).toEqual([]);
  });

  test('FX-40: whoever opens a connection to the database listens for its error, which would end the process', () => {
    const deaf = ['src', ...packageNames.map((name) => `packages/${name}/src`)].flatMap((folder) =>
      filesIn(join(root, folder)).filter((file) => {
        const source = readFileSync(join(root, folder, file), 'utf8');
        const opened = source.match(/new (pg\.)?(Client|Pool)\(/g)?.length ?? 0;
        return / from 'pg'/.test(source) && opened > (source.match(/\.on\('error'/g)?.length ?? 0);
      }),
    );
    expect(deaf).toEqual([]);
  });

  test('a layer of the composition root knows the layers before it alone, and no function of it is over 80 lines (ADR 48)', () => {
    const layers =
      'personal stores signing audit event-types-by-checkpoint signal-queue write-side core polls signal-push requests service log-workers command-line kafka load-kafka workers server audits http'.split(
        ' ',
      );
    const files = sourceFiles.filter((file) => folderOf(file) === 'compose');
    expect(files.map((file) => file.slice('compose/'.length, -3)).toSorted()).toEqual(layers.toSorted());
    const problems = files.flatMap((file) => {
      const source = readFileSync(join(root, 'src', file), 'utf8');
      const own = layers.indexOf(file.slice('compose/'.length, -3));
      const later = [...source.matchAll(/'\.\/([a-z-]+)\.ts'/g)].filter(
        ([, layer = '']) => layers.indexOf(layer) >= own,
      );
      const longest = Math.max(
        ...source.split(/^(?=\S.*=>|\S.*\($)/m).map((part) => part.split('\n').length),
      );
      return [
        ...later.map(([, layer]) => `${file} may not import ${layer}`),
        ...(longest > 81 ? [`${file} has a function of ${longest} lines`] : []),
      ];
    });
    expect(problems).toEqual([]);
  });

  test('AP-08: the command line over the API reaches nothing of the service: no server, no key, no connection', () => {
    const reached = reachedFrom('cli/remote/main.ts');
    const allowed =
      '../locales tasks audit cli common config/environment domain eventstore/codec eventstore/event-store eventstore/state-of eventstore/server/rights-of-account kafka/import/tally process/built-commit process/package-root';
    expect(reached.files.filter((file) => !covers(words(allowed), file))).toEqual([]);
    for (const file of ['cli/base/connect.ts', 'cli/base/api-here.ts'])
      expect(reached.files).not.toContain(file);
    const packagesOf =
      '#verify cli-progress cli-table3 commander intl-messageformat lru-cache p-map undici unhomoglyph zod tinyqueue';
    expect(reached.packages.filter((name) => !packageAllowed(words(packagesOf), name))).toEqual([]);
    expect(reachedFrom('cli/run-cli.ts').files).toContain('cli/base/api-here.ts');
    expect(reachedFrom('cli/base/connect.ts').packages).toContain('pg');
  });

  test('each folder of http with routes is a plugin of the server', () => {
    const server = readFileSync(join(root, 'src/compose/server.ts'), 'utf8');
    const folders = sourceFiles
      .filter((file) => /^http\/.*-paths\.ts$/.test(file))
      .map((file) => dirname(file));
    expect(folders.filter((folder) => !server.includes(`'../${folder}/`))).toEqual([]);
  });

  test('the composition and the service import nothing of the command line', () => {
    const service = sourceFiles.filter((file) => /^(?:compose|main|process)\b/.test(file));
    const imported = service.flatMap((file) =>
      importsOf(readFileSync(join(root, 'src', file), 'utf8')).map(({ from }) => `${file}: ${from}`),
    );
    expect(imported.length).toBeGreaterThan(200);
    expect(imported.filter((line) => line.includes('/cli/'))).toEqual([]);
  });

  test('only the gateway touches the EventStoreDB client', () => {
    const users = sourceFiles.filter((file) =>
      readFileSync(join(root, 'src', file), 'utf8').includes("'@eventstore/db-client"),
    );
    expect(users.filter((file) => folderOf(file) !== 'eventstore')).toEqual([]);
  });

  test('only the adapter of the port touches kafkajs', () => {
    const users = sourceFiles.filter((file) =>
      /['"]kafkajs['"/]/.test(readFileSync(join(root, 'src', file), 'utf8')),
    );
    expect(users.length).toBeGreaterThan(0);
    expect(users.filter((file) => !file.startsWith('kafka/kafkajs/'))).toEqual([]);
  });

  test('only the configuration and the entry points that hand it over read process.env', () => {
    const readers = sourceFiles.filter((file) =>
      /process\.env/.test(readFileSync(join(root, 'src', file), 'utf8')),
    );
    expect(readers.filter((file) => !/^(config\/environment|main)\.ts$|^cli\//.test(file))).toEqual([]);
  });

  test('in the domain, zod describes what is stored, and nothing else (ADR 81)', () => {
    const users = sourceFiles.filter(
      (file) =>
        folderOf(file) === 'domain' &&
        importsOf(readFileSync(join(root, 'src', file), 'utf8')).some(({ from }) => from === 'zod'),
    );
    expect(users.filter((file) => !/^domain\/(describe-event|[\w-]+\/events)\.ts$/.test(file))).toEqual([]);
  });

  test('the domain asks for no time, no randomness and awaits nothing', () => {
    const impure = sourceFiles.filter(
      (file) =>
        folderOf(file) === 'domain' &&
        /\b(Date\.now|new Date\(\)|Math\.random|await|async|setTimeout|throw)\b/.test(
          readFileSync(join(root, 'src', file), 'utf8').replace(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, ''),
        ),
    );
    expect(impure).toEqual([]);
  });
});

describe('the first tier', () => {
  const files = ['test', 'demo', 'bench', ...packageNames.map((name) => `packages/${name}/test`)].flatMap(
    (folder) => filesIn(join(root, folder)).map((file) => join(folder, file)),
  );
  const isOfIt = (file: string) => file.endsWith('.test.ts') && !file.endsWith(systemTests);

  /** What starts processes of ours, other servers, brokers or browsers. */
  const ofSecondTier =
    /^(?:test\/support\/(?:kafka-broker\/.*|scenes\/chromium\.ts|servers\/(?:instance|two-instances|debian-postgres|raw-postgres|until-we-die)\.ts)|playwright-core)$/;

  /** By file, which of these modules it imports, also by way of others. */
  const reaching = (imports: ReadonlyMap<string, readonly string[]>): ReadonlyMap<string, string> => {
    const reached = new Map<string, string>();
    const reachedBy = (from: string) => (ofSecondTier.test(from) ? from : reached.get(from));
    for (let before = -1; before < reached.size;) {
      before = reached.size;
      for (const [file, targets] of imports) {
        const found = targets.map(reachedBy).find((module) => module !== undefined);
        if (found !== undefined) reached.set(file, found);
      }
    }
    return reached;
  };
  const refused = (imports: ReadonlyMap<string, readonly string[]>) =>
    [...reaching(imports)].flatMap(([file, module]) =>
      isOfIt(file) ? [`${file} is of the first tier and imports ${module}`] : [],
    );

  test('imports nothing that starts processes, servers, brokers or browsers', () => {
    const imports = files.map((file): [string, readonly string[]] => {
      const from = valuesOf(readFileSync(join(root, file), 'utf8'));
      return [file, from.map((each) => (each.startsWith('.') ? join(dirname(file), each) : each))];
    });
    expect(refused(new Map(imports))).toEqual([]);
    expect(reaching(new Map(imports)).size).toBeGreaterThan(50);
  });

  test('which would be noticed, and who helps the second tier may', () => {
    const source = "import './a-page.ts';\nimport type { Browser } from 'playwright-core';";
    expect(valuesOf(source)).toEqual(['./a-page.ts']);
    const [scene, instance] = ['test/scene.ts', 'test/support/servers/instance.ts'];
    const imports = {
      'test/a.test.ts': [scene],
      'test/a.system.test.ts': [scene],
      [scene]: [instance],
      'test/b.test.ts': ['playwright-core', 'vitest'],
    };
    expect(refused(new Map(Object.entries(imports)))).toEqual([
      'test/b.test.ts is of the first tier and imports playwright-core',
      `test/a.test.ts is of the first tier and imports ${instance}`,
    ]);
  });

  /** Tests that are left out on some machines. */
  const skippedIn = (source: string, file: string): readonly string[] =>
    [...walk(/skip|runIf/.test(source) ? parse(source, file) : null)].flatMap((node) => {
      const [object, name] = [node['object'], node['property']].map((part) => nameOf((part ?? {}) as Node));
      const isSkipping =
        name === 'skipIf' ||
        name === 'runIf' ||
        (name === 'skip' && /^(?:describe|test|it)$/.test(object ?? ''));
      return node.type === 'MemberExpression' && isSkipping ? [`${file} leaves tests out: ${name}`] : [];
    });

  test('leaves no test out', () => {
    const left = files
      .filter(isOfIt)
      .flatMap((file) => skippedIn(readFileSync(join(root, file), 'utf8'), file));
    expect(left).toEqual([]);
    const found = skippedIn(
      "test.skipIf(!has)('a', f); describe.runIf(x).each([])('b', f); test.skip('c', f); page.skip(5); note('test.skip')",
      'a.test.ts',
    );
    expect(found).toEqual(['skipIf', 'runIf', 'skip'].map((name) => `a.test.ts leaves tests out: ${name}`));
  });
});

type Manifest = Readonly<
  Record<'dependencies' | 'optionalDependencies' | 'peerDependencies', Readonly<Record<string, string>>>
>;
const manifestOf = (folder: string) =>
  JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest;

describe.each(packageNames)('the package %s', (name) => {
  const folder = join(root, 'packages', name);
  const filesOf = (part: string): readonly string[] =>
    filesIn(join(folder, part)).map((file) => join(part, file));
  const imported = (file: string): readonly string[] =>
    importsOf(readFileSync(join(folder, file), 'utf8')).map(({ from }) => from);
  const leaves = (part: string, file: string, from: string): boolean =>
    from.startsWith('.') &&
    relative(join(folder, part), resolve(folder, dirname(file), from)).startsWith('..');

  test('imports of itself only its sources, and of others what its package.json names', () => {
    const { dependencies, peerDependencies } = manifestOf(folder);
    const named = ['node:', ...Object.keys({ ...dependencies, ...peerDependencies })];
    const found = filesOf('src').flatMap((file) =>
      imported(file)
        .filter((from) => leaves('src', file, from) || !(from.startsWith('.') || packageAllowed(named, from)))
        .map((from) => `${file} may not import ${from}`),
    );
    expect(filesOf('src').flatMap(imported)).not.toEqual([]);
    expect(found).toEqual([]);
  });

  test('is tested by itself', () => {
    const found = filesOf('test').filter((file) => imported(file).some((from) => leaves('.', file, from)));
    expect(found).toEqual([]);
  });

  test('is imported by its name, and the service, whose archive has it, asks for what it asks for', () => {
    const users = ['src', 'demo', 'bench'].flatMap((part) =>
      filesIn(join(root, part)).map((file) => join(part, file)),
    );
    const found = users.filter((file) =>
      /'([./]+\/packages|@grantbook)\//.test(readFileSync(join(root, file), 'utf8')),
    );
    expect(found).toEqual([]);
    const asks = Object.keys(manifestOf(folder).dependencies);
    expect(asks.filter((each) => !(each in manifest.dependencies))).toEqual([]);
    expect(manifest.optionalDependencies).toMatchObject(manifestOf(folder).optionalDependencies ?? {});
  });
});

test('of the client the embedded node takes only the generated stubs', () => {
  const sources = join(root, 'packages/eventstore-node/src');
  const users = readdirSync(sources, { recursive: true, encoding: 'utf8' }).filter(
    (file) =>
      file.endsWith('.ts') && readFileSync(join(sources, file), 'utf8').includes("'@eventstore/db-client"),
  );
  expect(users).toEqual(['stubs.ts']);
  expect(readFileSync(join(sources, 'stubs.ts'), 'utf8')).not.toContain("'@eventstore/db-client'");
});

test('docs/contributing.md has every folder of src, and docs/README.md leads to every document', () => {
  const read = (name: string) => readFileSync(join(root, 'docs', name), 'utf8');
  const map = /\n```\nsrc\/\n(.*?)\n```\n/s.exec(read('contributing.md'))?.[1] ?? '';
  const folders = readdirSync(join(root, 'src'), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name);
  const documents = ['tutorials', 'how-to', 'reference', 'explanation'].flatMap((folder) =>
    readdirSync(join(root, 'docs', folder)).map((name) => `${folder}/${name}`),
  );
  expect([
    ...folders.filter((name) => !new RegExp(`^ .*\\b${name}/ `, 'm').test(map)),
    ...[...documents, 'contributing.md'].filter((name) => !read('README.md').includes(`](${name})`)),
  ]).toEqual([]);
});

describe('what a function depends on is a small type', () => {
  const most = 12;
  type Declared = { readonly file: string; readonly type: Node };
  const files = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .map((file) => join(root, 'src', file));
  const trees = new Map(files.map((file) => [file, [...walk(parse(readFileSync(file, 'utf8'), file))]]));
  const nodesOf = (file: string, type: string) =>
    (trees.get(file) ?? []).filter((node) => node.type === type);
  const idOf = (node: Node | undefined): string => nameOf((node?.['id'] ?? node?.['local'] ?? {}) as Node);

  /** Where a name is declared: in the file, or in the one that it is imported from. */
  const declared = (file: string, name: string): Declared | undefined => {
    const alias = nodesOf(file, 'TSTypeAliasDeclaration').find((node) => idOf(node) === name);
    if (alias) return { file, type: alias['typeAnnotation'] as Node };
    for (const statement of nodesOf(file, 'ImportDeclaration'))
      for (const specifier of statement['specifiers'] as readonly Node[]) {
        const { value } = statement['source'] as { readonly value: string };
        if (idOf(specifier) === name && value.startsWith('.'))
          return declared(resolve(dirname(file), value), nameOf(specifier['imported'] as Node));
      }
    return undefined;
  };

  const namesIn = (type: Node): readonly string[] =>
    [...walk(type)].flatMap((node) => (node.type === 'Literal' ? [String(node['value'] as string)] : []));

  /** The members of a type as far as the sources tell: of other packages' types, none. */
  const membersOf = (file: string, type: Node): readonly string[] => {
    if (type.type === 'TSTypeLiteral')
      return (type['members'] as readonly Node[]).map(({ key }) => nameOf(key as Node));
    if (type.type === 'TSIntersectionType')
      return [...new Set((type['types'] as readonly Node[]).flatMap((part) => membersOf(file, part)))];
    if (type.type !== 'TSTypeReference') return [];
    const name = nameOf(type['typeName'] as Node);
    const [of, picked] = ((type['typeArguments'] as Node | null)?.['params'] ?? []) as readonly Node[];
    if (name === 'Pick' && picked) return namesIn(picked);
    if (of && name === 'Omit' && picked) {
      const left = new Set(namesIn(picked));
      return membersOf(file, of).filter((member) => !left.has(member));
    }
    if (of && ['Partial', 'Readonly', 'Required'].includes(name)) return membersOf(file, of);
    const found = declared(file, name);
    return found ? membersOf(found.file, found.type) : [];
  };

  const found = files.flatMap((file) =>
    nodesOf(file, 'TSTypeAliasDeclaration')
      .filter((node) => /(?:Dependencies|Options)$|^(?:Base|Browser)$/.test(idOf(node)))
      .map((node) => ({
        name: `${relative(root, file)} ${idOf(node)}`,
        members: membersOf(file, node['typeAnnotation'] as Node).length,
      })),
  );

  test('each `…Dependencies` and `…Options` has at most twelve members', () => {
    const known = ['commands/access/dependencies.ts Grant', 'http/signals/dependencies.ts Signals'].map(
      (start) => found.find(({ name }) => name === `src/${start}Dependencies`)?.members,
    );
    expect(known).toEqual([11, 12]);
    expect(found.filter(({ members }) => members > most)).toEqual([]);
  });
});

test('each fault of a mutation round is one line of its source, and another line', () => {
  const read = (name: string) => readFileSync(join(root, name), 'utf8');
  const faults = JSON.parse(read('scripts/mutation-faults.json')) as readonly Fault[];
  expect(new Set(faults.map(({ id }) => id)).size).toBe(150);
  const lost = faults.filter(
    ({ file, line, fault }) =>
      line === fault ||
      read(file)
        .split('\n')
        .filter((each) => each === line).length !== 1,
  );
  expect(lost).toEqual([]);
});

type Fault = Readonly<Record<'file' | 'line' | 'fault', string>> & { readonly id: number };
