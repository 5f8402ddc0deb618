import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { isSecret, settingNames } from '../../src/config/settings.ts';
import { packageRoot } from '../../src/process/package-root.ts';
import { commandsIn, missingParts, unknownCommands } from '../support/documents/advised-commands.ts';
import { parse, walk } from '../support/documents/syntax.ts';

const filesBelow = (folder: string, ending: string): readonly string[] =>
  readdirSync(join(packageRoot, folder), { encoding: 'utf8', recursive: true })
    .filter((name) => name.endsWith(ending))
    .map((name) => join(packageRoot, folder, name));

/** Every text of a source, also those with values in them: `…` is a value. */
const textsOf = (file: string): readonly string[] =>
  [...walk(parse(readFileSync(file, 'utf8'), file))].flatMap((node) => {
    if (node.type === 'Literal' && typeof node['value'] === 'string') return [node['value']];
    if (node.type !== 'TemplateLiteral') return [];
    const quasis = node['quasis'] as readonly { readonly value: { readonly cooked: string } }[];
    return [quasis.map(({ value }) => value.cooked).join('…')];
  });

const sources = filesBelow('src', '.ts').flatMap(textsOf);
/** As they were given, the requirements also name what is planned. */
const documents = [join(packageRoot, 'README.md'), ...filesBelow('docs', '.md')]
  .filter((file) => !file.includes('/requirements/'))
  .map((file) => readFileSync(file, 'utf8'));

/** Whole commands: without those that are abbreviated, and whatever npm itself takes. */
const isWhole = (text: string): boolean =>
  /^(?:grantbook|npm) [a-z]/.test(text) &&
  !/…|--silent|--server|^npm (?:ci|install|prune|run \w+ --)/.test(text);

test('FX-80: every command that a text or a document names exists, with its options', async () => {
  const commands = [...new Set([...sources, ...documents].flatMap(commandsIn).filter(isWhole))];
  expect(commands.length).toBeGreaterThan(30);
  expect(await unknownCommands(commands.map((text) => text.replace('npm run ', 'npm ')))).toEqual([]);
});

const settings = new Set([
  ...settingNames,
  ...settingNames.filter(isSecret).map((name) => `${name}_FILE`),
  // of other programs, and placeholders of tutorials
  'ACCESS_TOKEN',
  'EVENT_POSITION',
  'EXTERNAL_ID',
  'NODE_EXTRA_CA_CERTS',
  'NODE_OPTIONS',
  'PUSH_SECRET',
  'REFRESH_TOKEN',
  'TOKEN_KEY',
]);
const firstWord = (name: string): string => name.replace(/_.*/, '_');
const firstWords = new Set([...settingNames].map(firstWord));

test('FX-80: every setting that a text or a document names exists', () => {
  const named = [...sources, ...documents].flatMap(
    (text) => text.match(/\b[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+\b/g) ?? [],
  );
  const likeOurs = [...new Set(named)].filter((name) => firstWords.has(firstWord(name)));
  expect(likeOurs.filter((name) => !settings.has(name))).toEqual([]);
});

test('FX-80: every part of a document that a text names exists', () => {
  expect([...sources, ...documents].flatMap(missingParts)).toEqual([]);
});

const pathsIn = (text: string): readonly string[] =>
  [...text.matchAll(/`(?:[A-Z]+ )?(\/[a-z.][\w{}/.-]*)[^`]*`/g)].map(([, path = '']) => path);
/** The API by its list, which is written from the routes (reference.test.ts); pages by what `pagePath` is given. */
const routes = [
  ...pathsIn(readFileSync(join(packageRoot, 'docs/reference/paths.md'), 'utf8')),
  ...filesBelow('src/http', '.ts').flatMap(textsOf),
]
  .filter((text) => /^\/[a-z.][\w./:{}…-]*$/.test(text))
  .map((path) => new RegExp(`^${path.replaceAll('.', '\\.').replaceAll(/:\w+|\{\w+\}|…/g, '[^/]+')}$`));
/** Of the machine, of a proxy, and of a base with a path. */
const notOurs = /^\/(?:etc|null)\b|^\/oauth$|\/books$/;

test('FX-80: every path that a document names exists', () => {
  const named = [...new Set(documents.flatMap(pathsIn))].filter((path) => !notOurs.test(path));
  expect(named.length).toBeGreaterThan(40);
  expect(named.filter((path) => !routes.some((route) => route.test(path)))).toEqual([]);
});

test('FX-80: what does not exist would be found', async () => {
  expect(await unknownCommands(['grantbook keys mend', 'npm begin', 'grantbook doctor'])).toEqual([
    'grantbook keys mend',
    'npm begin',
  ]);
  expect(routes.some((route) => route.test('/oauth/tokens'))).toBe(false);
});
