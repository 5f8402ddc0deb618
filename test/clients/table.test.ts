import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { packageRoot } from '../../src/package-root.ts';

const read = (file: string) => readFileSync(join(packageRoot, file), 'utf8');
const rows = [...read('docs/clients.md').matchAll(/^\| `([^`]+)` +\| ([\d.]+) /gm)];
const listed = Object.fromEntries(rows.map(([, name = '', version = '']) => [name, version]));

test('docs/clients.md names the versions that are tested', () => {
  const { devDependencies } = JSON.parse(read('package.json')) as {
    readonly devDependencies: Readonly<Record<string, string>>;
  };
  const installed = Object.keys(listed).map((name) => [name, devDependencies[name]]);
  expect(listed).toEqual(Object.fromEntries(installed));
});

test('docs/clients.md lists the clients that have a test', () => {
  const own = 'table.test.ts';
  const tested = readdirSync(import.meta.dirname).filter((file) => file.endsWith('.test.ts') && file !== own);
  const expected = Object.keys(listed).map((name) => `${name.replace(/^@/, '').replace('/', '-')}.test.ts`);
  expect(tested.sort()).toEqual(expected.sort());
});
