import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { packageRoot } from '../../src/process/package-root.ts';

const read = (file: string) => readFileSync(join(packageRoot, file), 'utf8');
const rows = [...read('docs/reference/clients.md').matchAll(/^\| `([^`]+)` +\| ([\d.]+) /gm)];
const listed = Object.fromEntries(rows.map(([, name = '', version = '']) => [name, version]));

test('docs/reference/clients.md names the versions that are tested', () => {
  const { dependencies, devDependencies } = JSON.parse(read('package.json')) as Readonly<
    Record<'dependencies' | 'devDependencies', Readonly<Record<string, string>>>
  >;
  const installed = Object.keys(listed).map((name) => [name, devDependencies[name] ?? dependencies[name]]);
  expect(listed).toEqual(Object.fromEntries(installed));
});

test('docs/reference/clients.md lists the clients that have a test', () => {
  const own = 'table.test.ts';
  const tested = readdirSync(import.meta.dirname).filter((file) => file.endsWith('.test.ts') && file !== own);
  const expected = Object.keys(listed).map(
    (name) => `${name.replace(/^@/, '').replace('/', '-')}.system.test.ts`,
  );
  expect(tested.sort()).toEqual(expected.sort());
});

test('docs/reference/clients.md names the versions of other languages that are tested', () => {
  const rowsOf = (language: string) =>
    [
      ...read('docs/reference/clients.md').matchAll(
        new RegExp(`^\\| (?:Nimbus )?(\\S+) +\\| ${language} +\\| ([\\d.]+) `, 'gm'),
      ),
    ].map(([, name = '', version]) => [name.replaceAll('`', ''), version]);
  const own = (file: string) => read(`test/clients/other-languages/${file}`);
  const all = (text: string, pattern: RegExp) =>
    [...text.matchAll(pattern)].map(([, name, version]) => [name, version]);
  const java = all(own('java/pom.xml'), /<artifactId>([^<]+)<\/artifactId>\s*<version>([^<]+)</g);
  expect(java).toEqual(
    expect.arrayContaining(
      rowsOf('Java').map(([name, version]) => [name === 'ScribeJava' ? 'scribejava-core' : name, version]),
    ),
  );
  const go = all(own('go/go.mod'), /\S+\/(x\/oauth2|oauth2|go-oidc)(?:\/v3)? v([\d.]+)/g);
  expect(rowsOf('Go')).toEqual(
    expect.arrayContaining(go.map(([name, version]) => [name === 'oauth2' ? 'x/oauth2' : name, version])),
  );
  const required = own('python/requirements.txt') + own('python/generator-requirements.txt');
  const python = all(required, /^([\w-]+)==([\d.]+)$/gm);
  expect(python).toEqual(expect.arrayContaining(rowsOf('Python')));
  expect([rowsOf('Java'), rowsOf('Go'), rowsOf('Python')].map(({ length }) => length)).toEqual([2, 2, 3]);
});
