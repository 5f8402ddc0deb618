import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { nameOf, parse, walk, type Node } from '../../support/documents/syntax.ts';

const root = join(import.meta.dirname, '../../../src/http');

/** Not of pages for people, and the catalogue itself. */
const noPages = [
  'openapi/',
  'contracts/',
  'operator/import-paths.ts',
  'words/',
  'metrics/',
  'connections/',
  'lists/',
  'signals/',
  'health/',
  'audit/audit-paths.ts',
];
/** What is the same in every language. */
const names = /Grantbook|Authorization: Bearer …|^G$/g;

const letters = (text: string): readonly string[] => {
  const left = text.replace(/&\w+;/g, '').replace(names, '').trim();
  return /\p{L}/u.test(left) ? [left] : [];
};

/** Attributes that people read or hear. */
const read =
  /\b(?:alt|aria-label|aria-description|placeholder|title|data-(?!options|passkey|as=|times)\w+)="([^"]*)"/g;
const code = /<%[^]*?%>/g;
/** Part of a tag. */
const attributes = /^(?:\s*[a-z-]+(?:="[^"]*")?)+\s*$/;

/** Texts of a template that are not from the catalogue: between its tags, in attributes, and in the strings of its code. */
const textsIn = (template: string): readonly string[] => {
  const markup = template.replace(code, '');
  const strings = (template.match(code) ?? []).flatMap((part) =>
    [...part.matchAll(/'([^'\n]*)'/g)].map(([, text = '']) => text),
  );
  return [
    ...(attributes.test(markup) && markup.includes('="') ? [] : markup.split(/<[^>]*>/).flatMap(letters)),
    ...[...markup.matchAll(read)].flatMap(([, text = '']) => letters(text)),
    ...strings.filter((text) => /^\p{Lu}|\p{L} \p{L}/u.test(text)).flatMap(letters),
  ];
};

const textOf = (node: Node): string => {
  if (node.type === 'Literal') return typeof node['value'] === 'string' ? node['value'] : '';
  if (node.type !== 'TemplateLiteral') return '';
  const parts = node['quasis'] as readonly { readonly value: { readonly cooked: string } }[];
  return parts.map(({ value }) => value.cooked).join('');
};

/** The texts that a page is given as they are: `title`, `message` and `label`, wherever an object says so. */
const givenIn = (node: Node): readonly string[] => {
  if (node.type !== 'Property' || !['title', 'message', 'label'].includes(nameOf(node['key'] as Node)))
    return [];
  const text = textOf(node['value'] as Node);
  return / /.test(text) || /^\p{Lu}/u.test(text) ? letters(text) : [];
};

const inFile = (file: string): readonly string[] => {
  const tree = parse(readFileSync(join(root, file), 'utf8'), file);
  const nodes = [...walk(tree)];
  const templates = nodes.map(textOf).filter((text) => /<%|<\/?\w+[^<]*>/.test(text));
  return [...templates.flatMap(textsIn), ...nodes.flatMap(givenIn)];
};

const pages = readdirSync(root, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts'))
  .filter((file) => !noPages.some((folder) => file.startsWith(folder)))
  .sort();

test('PG-11: a page shows no text that is not in the catalogue', () => {
  const found = pages.map((file) => [file, inFile(file)] as const).filter(([, texts]) => texts.length > 0);
  expect(Object.fromEntries(found)).toEqual({});
});

test('PG-11: such a text is found: between tags, in an attribute, in code, and in what a page is given to say', () => {
  expect(textsIn('<p>Sign in <%= it.t.x %></p>')).toEqual(['Sign in']);
  expect(textsIn('<a aria-label="Open <%= it.name %>" href="/x"></a>')).toEqual(['Open']);
  expect(textsIn(`<p><%= it.isOne ? 'one day' : 'Days' %></p>`)).toEqual(['one day', 'Days']);
  expect(textsIn('<p class="soft"><%= it.t.x %> · <%= it.y %></p>')).toEqual([]);
  const told = [...walk(parse(`send({ title: 'Try again', message: \`It is \${why}\` })`, 'told.ts'))];
  expect(told.flatMap(givenIn)).toEqual(['Try again', 'It is']);
});
