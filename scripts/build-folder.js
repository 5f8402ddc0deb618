import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { commitToBuild } from './commit-to-build.js';

/** Whatever decides what the build makes. */
const sources = [
  'src',
  'locales',
  'demo',
  'bench',
  'packages/eventstore-node/src',
  'packages/eventstore-node/tsconfig.build.json',
  'packages/log-copy/src',
  'packages/log-copy/tsconfig.build.json',
  'packages/verify/src',
  'packages/verify/tsconfig.build.json',
  'tsconfig.json',
  'tsconfig.build.json',
  'package.json',
  'package-lock.json',
];

/** Where the build writes down what it was made from. */
const stampFile = 'dist/built-from';

/** A digest of the sources' names, sizes and times of change, and of the commit: no file is read, so it takes milliseconds. */
const stampOf = (root) => {
  const paths = sources.filter((path) => existsSync(join(root, path))).flatMap((path) => filesIn(root, path));
  const described = paths.map((path) => {
    const { mtimeMs, size } = statSync(join(root, path));
    return `${path} ${mtimeMs} ${size}\n`;
  });
  return createHash('sha256').update(described.join('')).update(commitToBuild(root)).digest('hex');
};

const filesIn = (root, path) =>
  statSync(join(root, path)).isDirectory()
    ? readdirSync(join(root, path), { recursive: true })
        .map((name) => join(path, name))
        .sort()
    : [path];

/** Packages of many small modules without files of their own; every other one stays where it is. */
const bundled = new Set([
  '#log-copy',
  '#verify',
  '@formatjs/fast-memoize',
  '@formatjs/icu-messageformat-parser',
  '@formatjs/icu-skeleton-parser',
  '@noble/hashes',
  '@peculiar/utils',
  'asn1js',
  'bytestreamjs',
  'intl-messageformat',
  'jose',
  'lru-cache',
  'pkijs',
  'zod',
]);

const othersStay = {
  name: 'others-stay',
  setup: ({ onResolve }) =>
    onResolve({ filter: /^[^./]/ }, ({ path, kind }) => {
      const name = /^(@[^/]+\/)?[^/]+/.exec(path)?.[0];
      return kind === 'entry-point' || bundled.has(name) ? undefined : { path, external: true };
    }),
};

const bundle = async (root, entryPoint, outdir, chunks) => {
  const { build } = await import('esbuild');
  rmSync(join(root, outdir, chunks), { recursive: true, force: true });
  const { errors } = await build({
    absWorkingDir: root,
    entryPoints: [entryPoint],
    outdir,
    chunkNames: `${chunks}/[name]-[hash]`,
    bundle: true,
    splitting: true,
    sourcemap: true,
    sourcesContent: false,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    conditions: ['@grantbook/source'],
    plugins: [othersStay],
    logLevel: 'warning',
  }).catch((error) => error);
  return errors.length === 0;
};

/**
 * Replaces the compiled service and command line, as a thousand modules take a second to load (ADR 101), and makes the package
 * `@grantbook/remote`, which has no sources of its own. @returns the exit code
 */
const bundleAll = async (root) => {
  const made = await Promise.all([
    bundle(root, 'src/main.ts', 'dist/src', 'main'),
    bundle(root, 'src/cli/grantbook.ts', 'dist/src/cli', 'parts'),
    bundle(root, 'src/cli/remote/main.ts', 'packages/remote/dist', 'parts'),
  ]);
  return made.every(Boolean) ? 0 : 1;
};

/** What builds is among the development dependencies. */
const tools = ['typescript', 'esbuild'];

const sayMissing = (what) =>
  void process.stderr.write(
    `${tools.join(' and ')} are not installed (development dependencies of npm ci), so ${what}.\n`,
  );

/**
 * Builds, unless that was done; where the tools are missing (`npm prune --omit=dev`), dist is used as it is.
 * @returns the exit code
 */
export const buildOrKeep = async (root) => {
  if (isBuilt(root)) return 0;
  if (hasTools(root) || !existsSync(join(root, stampFile))) return buildFolder(root);
  sayMissing('dist is used as it is');
  return 0;
};

const hasTools = (root) => tools.every((name) => existsSync(join(root, 'node_modules', name)));

/**
 * Compiles everything into `dist` and records the commit. What a compiler says goes to standard error: standard output may
 * be the answer of a command.
 * @returns the exit code; 0 is success
 */
export const buildFolder = async (root) => {
  if (!hasTools(root)) {
    sayMissing('nothing can be built');
    return 1;
  }
  const stamp = stampOf(root); // before the build: what changes during it is built again
  const compiler = join(root, 'node_modules/typescript/bin/tsc');
  const arguments_ = [compiler, '-b', join(root, 'tsconfig.build.json'), '--noCheck'];
  const { status, error } = spawnSync(process.execPath, arguments_, { stdio: ['ignore', 2, 2] });
  if (error) throw error;
  if (status !== 0) return status ?? 1;
  if ((await bundleAll(root)) !== 0) return 1;
  for (const folder of ['dist', 'packages/remote/dist']) {
    mkdirSync(join(root, folder), { recursive: true });
    writeFileSync(join(root, folder, 'commit'), `${commitToBuild(root)}\n`);
  }
  writeFileSync(join(root, stampFile), stamp);
  return 0;
};

/** Whether `dist` was built from the sources as they are now. */
export const isBuilt = (root) => {
  const file = join(root, stampFile);
  return existsSync(file) && readFileSync(file, 'utf8') === stampOf(root);
};
