import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, onTestFinished, test, vi } from 'vitest';
import { temporaryFolder } from '../support/temporary-folder.ts';

const checkout = resolve(import.meta.dirname, '../..');
const { buildFolder, buildOrKeep, isBuilt } = (await import(
  pathToFileURL(join(checkout, 'scripts/build-folder.js')).href
)) as {
  readonly buildFolder: (root: string) => Promise<number>;
  readonly buildOrKeep: (root: string) => Promise<number>;
  readonly isBuilt: (root: string) => boolean;
};

const makeFolder = () => {
  const root = temporaryFolder(onTestFinished);
  const put = (path: string, text: string) => writeFileSync(join(root, path), text);
  symlinkSync(join(checkout, 'node_modules'), join(root, 'node_modules'));
  mkdirSync(join(root, 'src/cli/remote'), { recursive: true });
  put('src/cli/remote/main.ts', "console.log('remote');\n");
  put('src/cli/grantbook.ts', "import { one } from '../one.ts';\nconsole.log(one);\n");
  put('src/main.ts', "import { one } from './one.ts';\nconsole.log(one);\n");
  put('src/one.ts', 'export const one: number = 1;\n');
  const compilerOptions = { outDir: 'dist', rootDir: '.', module: 'nodenext', types: [] };
  put('tsconfig.build.json', JSON.stringify({ compilerOptions, include: ['src'] }));
  return { root, put };
};

test('AM-16: a folder counts as built until a source is changed, added, moved or removed', async () => {
  const { root, put } = makeFolder();
  expect(isBuilt(root)).toBe(false);
  expect(await buildFolder(root)).toBe(0);
  expect(existsSync(join(root, 'dist/src/one.js'))).toBe(true);
  for (const bundled of ['dist/src/main.js', 'dist/src/cli/grantbook.js'])
    expect(readFileSync(join(root, bundled), 'utf8')).not.toContain('import');
  expect(readFileSync(join(root, 'dist/commit'), 'utf8')).toMatch(/^[0-9a-f]{7,}\n$/);
  expect(isBuilt(root)).toBe(true);

  const judged = async (change: () => void): Promise<boolean> => {
    change();
    const found = isBuilt(root);
    writeFileSync(join(root, 'dist/built-from'), '');
    expect(await buildFolder(root)).toBe(0);
    expect(isBuilt(root)).toBe(true);
    return found;
  };
  expect(await judged(() => put('src/one.ts', 'export const one: number = 2;\n'))).toBe(false);
  expect(readFileSync(join(root, 'dist/src/one.js'), 'utf8')).toContain('2');
  expect(await judged(() => put('src/two.ts', 'export const two = 2;\n'))).toBe(false);
  expect(await judged(() => renameSync(join(root, 'src/two.ts'), join(root, 'src/three.ts')))).toBe(false);
  expect(await judged(() => rmSync(join(root, 'src/three.ts')))).toBe(false);
});

test('a build that fails is reported, and the folder does not count as built', async () => {
  const { root, put } = makeFolder();
  put('src/one.ts', 'export const = 1;\n');
  expect(await buildFolder(root)).not.toBe(0);
  expect(isBuilt(root)).toBe(false);
});

test('FX-104: without development dependencies what was built stays, and what is missing is said', async () => {
  const { root, put } = makeFolder();
  const said = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  onTestFinished(() => said.mockRestore());
  const prune = () => rmSync(join(root, 'node_modules'));
  const lines = () => said.mock.calls.splice(0).map(([line]) => line);
  const missing = 'typescript and esbuild are not installed (development dependencies of npm ci), so ';

  prune();
  expect(await buildOrKeep(root)).toBe(1);
  expect(lines()).toEqual([`${missing}nothing can be built.\n`]);

  symlinkSync(join(checkout, 'node_modules'), join(root, 'node_modules'));
  expect(await buildFolder(root)).toBe(0);
  prune();
  expect(await buildOrKeep(root)).toBe(0);
  expect(lines()).toEqual([]);

  put('src/one.ts', 'export const one: number = 3;\n');
  expect(await buildOrKeep(root)).toBe(0);
  expect(lines()).toEqual([`${missing}dist is used as it is.\n`]);
  expect(await buildFolder(root)).toBe(1);
});
