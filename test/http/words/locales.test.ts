import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { IntlMessageFormat } from 'intl-messageformat';
import { describe, expect, test } from 'vitest';
import { argumentsIn, isText, nameOf, type Texts, wordsOf } from '../../../src/common/words.ts';
import { typesWithSubjects } from '../../../src/domain/events.ts';
import { languages } from '../../../src/http/words/languages.ts';
import { makeReader } from '../../../src/http/words/reader.ts';
import { messagePage } from '../../../src/http/pages/message-page.ts';

const root = join(import.meta.dirname, '../../..');
const locales = readdirSync(join(root, 'locales')).map((file) => {
  const texts = JSON.parse(readFileSync(join(root, 'locales', file), 'utf8')) as Texts;
  return { file, texts };
});
const english = locales.find(({ file }) => file === 'en.json')?.texts ?? {};
const others = locales.filter(({ file }) => file !== 'en.json');

type Entry = { readonly id: string; readonly path: readonly string[]; readonly text: string };

const entriesOf = (texts: Texts, above: readonly string[] = []): readonly Entry[] =>
  Object.entries(texts).flatMap(([name, text]) => {
    const path = [...above, name];
    if (!isText(text)) return entriesOf(text, path);
    return [{ id: path.join(' '), path, text: [text].flat().join('\n') }];
  });

/** What a message takes from its caller, and in which way. */
const takenBy = (text: string): ReadonlyMap<string, 'as it is' | 'number' | 'choice'> => {
  const found = new Map<string, 'as it is' | 'number' | 'choice'>();
  const look = (nodes: readonly unknown[]): void => {
    for (const node of nodes as readonly { type: number; value: string; options?: object }[]) {
      // The types of the parser: 0 is text, 1 an argument, 2 a number, 5 a select, 6 a plural, 7 its number.
      if (node.type === 2 || node.type === 6) found.set(node.value, 'number');
      else if (node.type === 5) found.set(node.value, 'choice');
      else if (node.type === 1 && !found.has(node.value)) found.set(node.value, 'as it is');
      for (const option of Object.values(node.options ?? {}) as { value: unknown[] }[]) look(option.value);
    }
  };
  look(new IntlMessageFormat(text, 'en-GB', undefined, { ignoreTag: true }).getAst());
  return found;
};

/** A language takes the form of a text that it needs in its sentence: with a small or a capital letter, or none. */
const formsOfOne = new Set(['operator done', 'operator fieldProblem', 'operator part', 'operator unknown']);

/** Texts of tasks that English has from the task itself, as the command line prints them. */
const ofTasks = ['refusals', 'done'];

test('every language but English is offered', () => {
  expect(languages.map(({ tag }) => `${tag}.json`).toSorted()).toEqual(
    locales.map(({ file }) => file).toSorted(),
  );
});

/** What is wrong with a message: it uses something else than its id says, or in another way. */
const problemsOf = ({ id, path, text }: Entry): readonly string[] => {
  const last = path.at(-1) ?? '';
  const declared = argumentsIn(last);
  if (declared === null) return /[{}]/.test(text) ? [`${id} takes nothing, and has braces`] : [];
  const taken = takenBy(text);
  const isForm = formsOfOne.has([...path.slice(0, -1), nameOf(last)].join(' '));
  return [
    ...[...taken.keys()].filter((name) => !declared.includes(name)).map((name) => `${id} has no ${name}`),
    ...declared.filter((name) => !isForm && !taken.has(name)).map((name) => `${id} does not use ${name}`),
    ...[...taken].flatMap(([name, how]) => {
      if (how === 'number' && !last.includes(`#${name}`)) return [`${id} counts ${name}`];
      return how === 'choice' && !last.includes(`${name}?`) ? [`${id} chooses by ${name}`] : [];
    }),
  ];
};

test.each(locales)('$file: every message takes what its id says', ({ texts }) => {
  const entries = entriesOf(texts);
  expect(entries.length).toBeGreaterThan(1_000);
  expect(entries.flatMap(problemsOf)).toEqual([]);
});

test('a message that takes something else is found', () => {
  const found = entriesOf({
    same: 'a {b}',
    'other(name)': '{another}',
    'counted(n)': '{n, plural, other {#}}',
    'chosen(by)': '{by, select, other {x}}',
    'right(#n, by?, name)': '{n, number} {by, select, null {} other {{name}}}',
  }).flatMap(problemsOf);
  expect(found).toEqual([
    'same takes nothing, and has braces',
    'other(name) has no another',
    'other(name) does not use name',
    'counted(n) counts n',
    'chosen(by) chooses by by',
  ]);
});

describe.each(others)('PG-11: $file', ({ texts }) => {
  const own = new Set(entriesOf(texts).map(({ id }) => id));
  const known = new Set(entriesOf(english).map(({ id }) => id));

  test('has every message of English, but for events that only programs read', () => {
    const lacked = [...known].filter((id) => !own.has(id));
    const told = lacked.filter((id) => typesWithSubjects.some((type) => id.includes(type)));
    expect(told).toEqual([]);
    expect(lacked.filter((id) => !/^events [A-Z]\w+\(/.test(id))).toEqual([]);
  });

  test('has no message that English does not have', () => {
    expect([...own].filter((id) => !known.has(id) && !ofTasks.includes(id.split(' ')[0] ?? ''))).toEqual([]);
  });
});

/** Sources by the words in them. */
const sources = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts'))
  .map((file) => readFileSync(join(root, 'src', file), 'utf8'))
  .map((source) => ({ source, names: new Set(source.match(/[\w-]+/g)) }));

/** Whether a file names the message and the group that it is in, or chooses among the texts of the group. */
const isUsed = ({ path }: Entry): boolean => {
  const [leaf = '', group = ''] = path.map(nameOf).toReversed();
  const ofGroup = new RegExp(`\\b${group}( as [^)]*\\))?\\[|values\\([\\w.]*\\b${group}\\)`);
  return sources.some(
    ({ source, names }) => (group === '' || names.has(group)) && (names.has(leaf) || ofGroup.test(source)),
  );
};

/** By the table of tasks, whose test looks for each, by scopes, and by problems, whose pages a test compares. */
const chosen = ['tasks', 'labels', 'values', 'scopes', 'explanations'];

test('every message is used', () => {
  const left = entriesOf(english).filter((entry) => !chosen.includes(entry.path[0] ?? '') && !isUsed(entry));
  expect(left.map(({ id }) => id)).toEqual([]);
});

test('a message that nothing uses is found', () => {
  expect(isUsed({ id: '', path: ['account', 'neverShownAnywhere'], text: '' })).toBe(false);
  expect(isUsed({ id: '', path: ['account', 'title'], text: '' })).toBe(true);
});

test('PG-11: a further language is one file; what it does not have is English', () => {
  const esperanto = wordsOf({
    tag: 'eo',
    locale: 'eo',
    name: 'Esperanto',
    frame: {
      tryAgain: 'Provu denove',
      service: 'Servo',
      start: 'Ĉefpaĝo',
      'backTo(host)': 'Reen al {host}',
      'continueTo(host)': 'Plu al {host}',
    },
    admin: { 'grantCount(#n)': '{n, plural, one {# permeso} other {# permesoj}}' },
    account: { title: 'Via konto' },
  });
  const { frame, admin, account, signIn } = esperanto;
  expect([frame.backTo('a.example'), frame.signOut]).toEqual(['Reen al a.example', 'Sign out']);
  expect([1, 2].map(admin.grantCount)).toEqual(['1 permeso', '2 permesoj']);
  expect(admin.personCount(2)).toBe('2 people');
  expect([account.title, signIn.title]).toEqual(['Via konto', 'Sign in']);
  const page = messagePage({ base: '', reader: makeReader(esperanto), title: 'x', message: 'y' });
  expect(page).toContain('<html lang="eo">');
});
