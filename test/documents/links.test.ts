import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { expect, test } from 'vitest';
import { packageRoot } from '../../src/process/package-root.ts';
import { anchorsOf, withoutBlocks } from '../support/documents/anchors.ts';

const folders = ['.ci', 'bench', 'demo', 'docs', 'packages', 'scripts', 'src', 'test'];
const files = [
  'README.md',
  '.env.example',
  'docker-compose.yml',
  ...folders.flatMap((folder) =>
    readdirSync(join(packageRoot, folder), { encoding: 'utf8', recursive: true })
      .filter((name) => !/(?:^|\/)(?:node_modules|dist)\//.test(name))
      .map((name) => `${folder}/${name}`),
  ),
];
/** Templates of generated pages have the links of those. */
const documents = files.filter((name) => name.endsWith('.md') && !name.startsWith('scripts/docs/'));
const read = (name: string) => readFileSync(join(packageRoot, name), 'utf8');

/** Links to files and headings of this repository, without code. */
const linksOf = (name: string): readonly string[] =>
  [
    ...withoutBlocks(read(name))
      .replaceAll(/`[^`\n]*`/g, '')
      .matchAll(/\]\(([^)\s]+)\)|src="([^"]+)"/g),
  ]
    .map(([, link, picture]) => link ?? picture ?? '')
    .filter((link) => !/^[a-z]+:/.test(link));

const isBroken = (name: string, link: string): boolean => {
  const [path = '', anchor] = link.split('#');
  const target = path === '' ? name : relative(packageRoot, join(packageRoot, dirname(name), path));
  if (!existsSync(join(packageRoot, target))) return true;
  return anchor !== undefined && target.endsWith('.md') && !anchorsOf(read(target)).includes(anchor);
};

test('every link of every document leads to a file, and to a heading of it', () => {
  expect(documents.length).toBeGreaterThan(50);
  const broken = documents.flatMap((name) =>
    linksOf(name).flatMap((link) => (isBroken(name, link) ? [`${name}: ${link}`] : [])),
  );
  expect(broken).toEqual([]);
});

/** A path is of this repository, of the sources or of the tests. `<feature>` and `*` stand for names. */
const roots = ['', 'src', 'test'];
const isThere = (path: string): boolean => {
  const [known = ''] = /^[^<*]*/.exec(path) ?? [];
  const whole = known === path ? path : known.replace(/[^/]*$/, '');
  return roots.some((root) => existsSync(join(packageRoot, root, whole)));
};

test('every path in the code of a document is there', () => {
  const tops = roots.flatMap((root) =>
    readdirSync(join(packageRoot, root), { withFileTypes: true })
      .filter((each) => each.isDirectory() && !/^(?:\..*|dist|node_modules)$/.test(each.name))
      .map((each) => each.name),
  );
  const path = new RegExp(String.raw`(?<![\w/.:@<{=-])(?:${tops.join('|')})/[\w./*<>-]*[\w>*]`, 'g');
  const named = documents
    .filter((name) => !name.startsWith('docs/requirements/'))
    .flatMap((name) =>
      [...read(name).matchAll(/```[^]*?```|`[^`\n]+`/g)]
        .flatMap(([code]) => code.match(path) ?? [])
        .map((each) => ({ name, path: each })),
    );
  expect(named.length).toBeGreaterThan(150);
  expect(named.filter((each) => !isThere(each.path)).map((each) => `${each.name}: ${each.path}`)).toEqual([]);
});

test('every page of docs that a source, a setting or a test names is there', () => {
  const naming = files.filter(
    (name) =>
      /\.(?:md|ts|js|yaml|yml|json|py|example)$/.test(name) &&
      !/^docs\/requirements|^src\/projections\/migrations|^test\/upgrades|\/links\.test\.ts$/.test(name),
  );
  const names = new Set(
    naming.flatMap((name) => read(name).match(/(?<![/.\w-])docs\/[\w/-]+\.(?:md|yaml|json|ts|py)\b/g) ?? []),
  );
  expect(names.size).toBeGreaterThan(30);
  expect([...names].filter((name) => !existsSync(join(packageRoot, name)))).toEqual(['docs/none.md']);
});

test('the README has at most 8 kB', () => {
  expect(statSync(join(packageRoot, 'README.md')).size).toBeLessThanOrEqual(8_000);
});

test('the README and docs have at most 43,000 words, without the requirements as they were given', () => {
  const words = documents
    .filter((name) => name === 'README.md' || /^docs\/(?!requirements\/)/.test(name))
    .flatMap((name) => read(name).split(/\s+/))
    .filter((word) => /[\p{L}\p{N}]/u.test(word));
  expect(words.length).toBeLessThanOrEqual(43_000);
});
