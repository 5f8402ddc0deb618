import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { nameOf, parse, walk, type Node } from './syntax.ts';

/** A requirement's ID in the name of a test or of a surrounding `describe`. */
export type Citation = { readonly id: string; readonly file: string; readonly title: string };

const starts = new Set(['test', 'it', 'describe']);
const never = new Set(['skip', 'todo', 'fails']);
const idPattern = /\b[A-Z]{1,2}-\d{2,3}\b/g;

/** All citations in a folder. Comments and tests that never run do not count. */
export const citationsBelow = (folder: string): readonly Citation[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .flatMap((file) => citationsIn(readFileSync(join(folder, file), 'utf8'), file));

export const citationsIn = (source: string, file: string): readonly Citation[] => {
  const nodes = [...walk(parse(source, file))];
  const tables = new Map(nodes.filter(isNamedConstant).map(named));
  return nodes.flatMap((node) =>
    titlesOf(node, tables).flatMap((title) =>
      [...title.matchAll(idPattern)].map(([id]) => ({ id, file, title })),
    ),
  );
};

/**
 * Titles of `test('title')`, and of `test.each(rows)('%s: title')` with the texts of its rows, which become part of the
 * names.
 */
const titlesOf = (node: Node, tables: ReadonlyMap<string, Node>): readonly string[] => {
  if (node.type !== 'CallExpression') return [];
  const [title] = node['arguments'] as readonly (Node | undefined)[];
  const path = calleePath(node['callee'] as Node);
  if (!title || !starts.has(path[0] ?? '') || path.some((name) => never.has(name))) return [];
  const callee = node['callee'] as Node;
  // `each(rows)` returns the function that then takes the name.
  if (callee.type === 'MemberExpression' && ['each', 'skipIf', 'runIf'].includes(path.at(-1) ?? ''))
    return [];
  const texts = textsIn(title);
  const hasRows = callee.type === 'CallExpression' && texts.some((text) => /[%$]/.test(text));
  if (!hasRows || path.at(-1) !== 'each') return texts;
  const rows = (callee['arguments'] as readonly Node[]).map((row) => tables.get(nameOf(row)) ?? row);
  return [...texts, ...rows.flatMap(textsIn)];
};

/** For example, `describe.each(rows)` gives describe, each. */
const calleePath = (node: Node): readonly string[] => {
  if (node.type === 'Identifier') return [nameOf(node)];
  if (node.type === 'CallExpression') return calleePath(node['callee'] as Node);
  if (node.type !== 'MemberExpression') return [];
  return [...calleePath(node['object'] as Node), nameOf(node['property'] as Node)];
};

const textsIn = (node: Node): readonly string[] =>
  [...walk(node)].flatMap((inner) => {
    if (inner.type === 'Literal' && typeof inner['value'] === 'string') return [inner['value']];
    return inner.type === 'TemplateElement' ? [(inner['value'] as { readonly raw: string }).raw] : [];
  });

const isNamedConstant = ({ type, id }: Node): boolean =>
  type === 'VariableDeclarator' && nameOf(id as Node) !== '';
const named = (node: Node): [string, Node] => [nameOf(node['id'] as Node), node];
