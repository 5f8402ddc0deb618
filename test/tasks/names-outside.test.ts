import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { packageRoot } from '../../src/process/package-root.ts';
import { entities } from '../../src/tasks/entities.ts';
import { tasksOf } from '../../src/tasks/places.ts';
import { ownAddons } from '../../src/tasks/publishing.ts';
import { nameOf, parse, walk, type Node } from '../support/documents/syntax.ts';

const all = [...entities, ownAddons];
const named = new Set(all.flatMap((about) => [about.name, ...tasksOf(about).map(({ name }) => name)]));
/** Names that mean nothing else. */
const unmistakable = new Set([...named].filter((name) => name.includes('-')));

/** What has such a name for a reason of its own. */
const others = [
  // A group of commands is loaded when its name is typed.
  ['cli/contents.ts', 'expired-messages'],
  ['cli/task-groups.ts', 'expired-messages'],
  // The id of an operation of administrators, which generated clients call.
  ['http/admin/activation-paths.ts', 'show-activation'],
  // The texts of a task have its name in `locales`.
  ['http/tasks/in-words.ts', '[task.name]'],
];

const ofTable = /^(?:about|entity|shows|task)$/;
/** What a source has to have for that, so that not all are parsed. */
const mayKnow = new RegExp(`'(?:${[...unmistakable].join('|')})'|\\b(?:about|entity|shows|task)\\.name\\b`);

/** `task.name`, where something is chosen by it. */
const isName = (node: unknown): boolean => {
  const { type, object, property } = (node ?? {}) as Node;
  return (
    type === 'MemberExpression' && nameOf(property as Node) === 'name' && ofTable.test(nameOf(object as Node))
  );
};

const literalIn = (node: unknown): string => {
  const { type, value } = (node ?? {}) as Node;
  return type === 'Literal' && typeof value === 'string' ? value : '';
};

/** Where a source knows a task or an entity by its name: a literal, a key, a comparison, a table, a `switch`. */
const knownIn = (source: string): readonly string[] =>
  [...walk(mayKnow.test(source) ? parse(source, 'source.ts') : null)].flatMap((node) => {
    if (unmistakable.has(literalIn(node))) return [literalIn(node)];
    if (node.type === 'MemberExpression' && node['computed'] === true && isName(node['property']))
      return ['[task.name]'];
    if (node.type === 'SwitchStatement' && isName(node['discriminant'])) return ['switch (task.name)'];
    const { left, right } = node;
    const compared = [left, right].map(literalIn).find((name) => named.has(name));
    return node.type === 'BinaryExpression' && compared !== undefined && [left, right].some(isName)
      ? [compared]
      : [];
  });

test('nothing outside of src/tasks is chosen by the name of a task or an entity', () => {
  const root = join(packageRoot, 'src');
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.startsWith('tasks/'))
    .toSorted();
  const found = files.flatMap((file) =>
    [...new Set(knownIn(readFileSync(join(root, file), 'utf8')))].map((name) => [file, name]),
  );
  expect(found).toEqual(others);
});

test('what is chosen by a name is found', () => {
  expect(
    [
      "const sheets = { 'add-secret': 1 };",
      "if (task.name === 'close') end();",
      'const sheet = sheets[task.name];',
      'switch (about.name) {}',
      "if (task.ends === 'close') end();",
    ].map(knownIn),
  ).toEqual([['add-secret'], ['close'], ['[task.name]'], ['switch (task.name)'], []]);
});
