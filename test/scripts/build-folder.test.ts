import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { temporaryFolder } from '../support/temporary-folder.ts';

const checkout = resolve(import.meta.dirname, '../..');
const { buildFolder, isBuilt } = (await import(
  pathToFileURL(join(checkout, 'scripts/build-folder.js')).href
)) as { readonly buildFolder: (root: string) => number; readonly isBuilt: (root: string) => boolean };

const makeFolder = () => {
  const root = temporaryFolder(onTestFinished);
  const put = (path: string, text: string) => writeFileSync(join(root, path), text);
  symlinkSync(join(checkout, 'node_modules'), join(root, 'node_modules'));
  mkdirSync(join(root, 'src'));
  put('src/one.ts', 'export const one: number = 1;\n');
  const compilerOptions = { outDir: 'dist', rootDir: '.', module: 'nodenext', types: [] };
  put('tsconfig.build.json', JSON.stringify({ compilerOptions, include: ['src'] }));
  return { root, put };
};

test('AM-16: a folder counts as built until a source is changed, added, moved or removed', () => {
  const { root, put } = makeFolder();
  expect(isBuilt(root)).toBe(false);
  expect(buildFolder(root)).toBe(0);
  expect(existsSync(join(root, 'dist/src/one.js'))).toBe(true);
  expect(readFileSync(join(root, 'dist/commit'), 'utf8')).toMatch(/^[0-9a-f]{7,}\n$/);
  expect(isBuilt(root)).toBe(true);

  const judged = (change: () => void): boolean => {
    change();
    const found = isBuilt(root);
    writeFileSync(join(root, 'dist/built-from'), '');
    expect(buildFolder(root)).toBe(0);
    expect(isBuilt(root)).toBe(true);
    return found;
  };
  expect(judged(() => put('src/one.ts', 'export const one: number = 2;\n'))).toBe(false);
  expect(readFileSync(join(root, 'dist/src/one.js'), 'utf8')).toContain('2');
  expect(judged(() => put('src/two.ts', 'export const two = 2;\n'))).toBe(false);
  expect(judged(() => renameSync(join(root, 'src/two.ts'), join(root, 'src/three.ts')))).toBe(false);
  expect(judged(() => rmSync(join(root, 'src/three.ts')))).toBe(false);
});

test('a build that fails is reported, and the folder does not count as built', () => {
  const { root, put } = makeFolder();
  put('src/one.ts', 'export const = 1;\n');
  expect(buildFolder(root)).not.toBe(0);
  expect(isBuilt(root)).toBe(false);
});
