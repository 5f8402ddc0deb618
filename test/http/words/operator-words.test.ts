import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { entities as ofOperators } from '../../../src/tasks/entities.ts';
import { changeFields } from '../../../src/tasks/addons/addon-changes.ts';
import { ownAddons } from '../../../src/tasks/publishing.ts';
import { itemsIn, sectionsOf } from '../../../src/tasks/sections.ts';
import { shownField, standings } from '../../../src/tasks/answer-fields.ts';
import { brokenRule, fieldsOf, readInput } from '../../../src/tasks/fields.ts';
import { bodyAt, placeOf, tasksOf } from '../../../src/tasks/places.ts';
import { cursorProblem, type Entity, type Task } from '../../../src/tasks/task.ts';
import { grantTypes, idTokenAlgs } from '../../../src/domain/addons/events.ts';
import { scopes } from '../../../src/domain/access/scope.ts';
import {
  columnIn,
  effectOf,
  fieldIn,
  noneIn,
  nounOf,
  summaryOf,
  textIn,
} from '../../../src/http/tasks/in-words.ts';
import { ownId } from '../../../src/domain/kernel/ids.ts';
import { english, type Words } from '../../../src/common/words.ts';
import { languages } from '../../../src/http/words/languages.ts';

const entities = [...ofOperators, ownAddons];
const others = languages.filter(({ tag }) => tag !== 'en');

/** The same in every language. */
const codes = new Set<string>([...scopes, ...grantTypes, ...idTokenAlgs]);

type Shown = { readonly keys: readonly string[]; readonly values: readonly string[] };
const none: Shown = { keys: [], values: [] };
const joined = (all: readonly Shown[]): Shown => ({
  keys: all.flatMap(({ keys }) => keys),
  values: all.flatMap(({ values }) => values),
});

/** The keys and the values out of a list that an answer may have. */
const inAnswer = (schema: unknown): Shown => {
  if (schema instanceof z.ZodObject)
    return joined(
      Object.entries(schema.shape).map(([key, inner]) =>
        joined([{ keys: [shownField(key, inner as z.ZodType).label ?? key], values: [] }, inAnswer(inner)]),
      ),
    );
  if (schema instanceof z.ZodArray) return inAnswer(schema.element);
  if (schema instanceof z.ZodEnum) return { keys: [], values: schema.options.map(String) };
  const { unwrap } = (schema ?? {}) as { readonly unwrap?: () => unknown };
  return unwrap ? inAnswer(unwrap.call(schema)) : none;
};

/** What a field of the table accepts, and what pages say of it: each as the table and as the language has it. */
const ofFields = (words: Words, about: Entity, task: Task | null): readonly Said[] =>
  fieldsOf(
    task === null ? about.filters : bodyAt(about, task, { ...placeOf(about, task), input: task.input }),
  ).flatMap((field): readonly Said[] => {
    const { title, description } = fieldIn(words, about, task, field);
    const id = `${textsOf(about)} ${task?.name ?? 'filters'} ${field.name}`;
    return [
      [`${id} title`, field.title, title],
      [`${id} description`, field.description, description],
      [`${id} allowed`, field.allowed, textIn(words, field.allowed)],
    ];
  });

const textsOf = ({ name, texts = name }: Entity): string => texts;

/** Those that have a form, and not a section of the page. */
const asked = (about: Entity): readonly Task[] => {
  const reads = sectionsOf(about).map(({ read }) => read);
  return tasksOf(about).filter((task) => !reads.includes(task));
};

/** Its answer is on the page of the thing; what is shown once has a page of its own. */
const isInSection = (about: Entity, task: Task): boolean =>
  task.answers?.shape.shape['client_secret'] === undefined &&
  sectionsOf(about).some(({ read, tasks }) => read === task || tasks.includes(task));

const listsOf = (about: Entity) => [
  ...(about.parts ?? []),
  ...sectionsOf(about).flatMap((section) => itemsIn(section) ?? []),
];

type Said = readonly [id: string, inTable: string, said: string];

/** What the table of tasks says, in English, and what the pages say in a language. */
const saidOf = (words: Words, about: Entity): readonly Said[] => [
  [`${textsOf(about)} noun`, about.noun ?? about.name, nounOf(words, about)],
  ...Object.entries(about.columns).map(([key, label]): Said => [
    `${textsOf(about)} ${key}`,
    label,
    columnIn(words, about, null, key),
  ]),
  ...ofFields(words, about, null),
  ...asked(about).flatMap((task): readonly Said[] => [
    [`${textsOf(about)} ${task.name} summary`, task.summary, summaryOf(words, about, task)],
    [`${textsOf(about)} ${task.name} effect`, task.effect, effectOf(words, about, task)],
    ...ofFields(words, about, task),
  ]),
  ...sectionsOf(about).flatMap(({ name, read: { rows } }): readonly Said[] =>
    rows ? [[`${textsOf(about)} none ${name}`, rows.none, noneIn(words, about, name)]] : [],
  ),
  ...listsOf(about).flatMap((part) =>
    Object.entries(part.columns).map(([key, label]): Said => [
      `${textsOf(about)} ${part.name} ${key}`,
      label,
      columnIn(words, about, part.name, key),
    ]),
  ),
];

/** What is refused with an answer of its own: a broken rule, an unknown field, a cursor. */
const refusedBy = (about: Entity): readonly string[] => [
  ...tasksOf(about).flatMap(({ input, rules = [] }) => [
    ...rules.flatMap((rule) => {
      const given = 'requiredUnless' in rule ? {} : { [rule.field]: true };
      const more = 'excludes' in rule ? rule.excludes : [''];
      return more.flatMap((other) => {
        const broken = brokenRule([rule], { ...given, ...(other !== '' && { [other]: true }) });
        return broken === null ? [] : [allowedBy(broken)];
      });
    }),
    ...unknownField(input),
  ]),
  ...unknownField(about.filters),
  cursorProblem(about, {}, 'name.YQ.A')?.allowed ?? '',
];

const allowedBy = (broken: NonNullable<ReturnType<typeof brokenRule>>): string => {
  if ('needs' in broken) return `nothing without ${broken.other}`;
  return 'excludes' in broken ? `nothing together with ${broken.field}` : 'true or false';
};

const unknownField = (input: Entity['filters']): readonly string[] => {
  const read = readInput(input, { 'no-such-field': '' });
  return read.ok ? [] : read.problems.filter(({ code }) => code === 'unknown').map(({ allowed }) => allowed);
};

/** Heads of columns lead to orders: their names are in addresses alone. */
const filtersIn = ({ filters }: Entity) => fieldsOf(filters).filter(({ name }) => name !== 'sort');

const shownBy = (about: Entity): Shown =>
  joined([
    { keys: [about.plural, ...listsOf(about).map(({ name }) => name)], values: [] },
    inAnswer(about.shape),
    ...tasksOf(about).flatMap((task) => [
      inAnswer(task.adds),
      isInSection(about, task) ? none : inAnswer(task.answers?.shape),
      { keys: [], values: fieldsOf(task.input).flatMap(({ values }) => values) },
    ]),
    ...sectionsOf(about)
      .filter((section) => itemsIn(section) === null)
      .flatMap(({ name, read }) => [{ keys: [name], values: [] }, inAnswer(read.answers?.shape)]),
    { keys: [], values: filtersIn(about).flatMap(({ values }) => values) },
    ...listsOf(about).map(({ item, columns }) => ({
      keys: [],
      values: Object.keys(columns).flatMap((key) => inAnswer(item.shape[key]).values),
    })),
  ]);

const proposed: Shown = { keys: Object.keys(changeFields.shape), values: [] };
const shown = joined([...entities.map(shownBy), proposed]);
const values = [...new Set([...shown.values, ...Object.keys(standings)])].filter(
  (value) => !codes.has(value),
);

/** Tasks after which the page shows an answer; others lead back to the thing. */
const answering = [
  ...entities.flatMap((about) =>
    tasksOf(about)
      .filter((task) => !isInSection(about, task))
      .filter(
        ({ answers, adds }) =>
          answers !== undefined ||
          Object.keys(adds?.shape ?? {}).some(
            (key) => !['changed', 'given_to', 'member', 'auditor'].includes(key),
          ),
      )
      .map(({ name }) => `${about.name}.${name}`),
  ),
  'signals.delete',
];

const root = join(import.meta.dirname, '../../../src');
const sourceOf = (...folders: readonly string[]): string =>
  folders
    .flatMap((folder) =>
      readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
        .filter((file) => file.endsWith('.ts') && file !== 'audit-questions.ts')
        .map((file) => readFileSync(join(root, folder, file), 'utf8')),
    )
    .join('\n');

/** Of an empty `PATCH`, and told with a time. */
const notOnPages = new Set(['nothing-to-change', 'too-many-requests']);

const codesIn = (source: string): ReadonlySet<string> =>
  new Set(
    [
      /refusal: '([a-z-]+)'/g,
      /\b(?:refused?|invalid)\('([a-z-]+)'/g,
      /return '([a-z]+-(?:needless|missing))'/g,
      /^ {2,4}'?([a-z]+(?:-[a-z]+)+|invalid)'?: ?(?:\(.*\) => )?\n? *['"`]/gm,
    ]
      .flatMap((pattern) => [...source.matchAll(pattern)].map(([, code = '']) => code))
      .filter((code) => !notOnPages.has(code)),
  );

/** Of every kind of thing (src/tasks/outcomes.ts). */
const unknowns = entities.map(({ name }) => `${name}-unknown`);

/** Those of the tasks: where a refusal is made, where one has its message, and those of commands that are passed on. */
const refusals = new Set([
  ...codesIn(sourceOf('tasks').replaceAll(/'x-[a-z-]+':.*/g, '')),
  ...unknowns,
  'external-id-taken',
  'grant-unknown',
  'passwords-off',
  'profile-unknown',
]);
/** Also those of commands and of the domain. */
const allRefusals = new Set([...codesIn(sourceOf('tasks', 'commands', 'domain')), ...unknowns]);

const keysOf = (texts: object): readonly string[] => Object.keys(texts);
const ofOwn = (words: Words, group: 'refusals' | 'done'): readonly string[] =>
  keysOf((words as unknown as Readonly<Record<string, object>>)[group] ?? {});

const everywhere = (words: Words) => entities.flatMap((about) => saidOf(words, about));

test('the table of tasks takes its texts from where the pages look for them', () => {
  expect(everywhere(english).filter(([, inTable, said]) => inTable !== said)).toEqual([]);
});

test.each(others)('PG-11: the table of tasks has all its texts in $name', (words) => {
  const inEnglish = new Map(everywhere(english).map(([id, , said]) => [id, said]));
  const lacked = everywhere(words).filter(
    ([id, , said]) =>
      said === 'undefined' ||
      (/ (?:summary|description|allowed)$/.test(id) && said !== '' && said === inEnglish.get(id)),
  );
  expect(lacked).toEqual([]);
  const refused = entities.flatMap(refusedBy).filter((text) => text !== '');
  expect(refused.filter((text) => textIn(words, text) === text)).toEqual([]);
  expect(shown.keys.filter((key) => key !== 'user_id' && !(key in words.labels))).toEqual([]);
  expect(values.filter((value) => !(value in words.values))).toEqual([]);
  expect([...refusals].filter((code) => !ofOwn(words, 'refusals').includes(code))).toEqual([]);
  expect(answering.filter((name) => !ofOwn(words, 'done').includes(name))).toEqual([]);
});

test('FX-94: a user_id has no label of its own, as whoever it is has one', () => {
  for (const { labels } of languages) {
    expect(labels).not.toHaveProperty('user_id');
    for (const key of ['proposed_by', 'approved_by', 'refused_by', 'member'])
      expect(labels).toHaveProperty(key);
  }
});

test('PG-11: what is wrong with a value is said in the language, with what it is about', () => {
  const [german = english] = others;
  const problems = [
    english.problems.empty,
    english.problems.length(8, 256),
    english.problems.notThere('https://a.example https://b.example'),
    english.allowed.list(english.allowed.id(ownId.allowed)),
    'reported by the receiver itself',
  ];
  expect(problems.map((text) => textIn(german, text))).toEqual([
    'darf nicht leer sein',
    'muss 8 bis 256 Zeichen haben',
    'ist nicht vorhanden; vorhanden sind: https://a.example https://b.example',
    'eine Liste; erlaubt ist jeweils: eine Kennung: 1 bis 64 Zeichen aus A–Z a–z 0–9 _',
    'reported by the receiver itself',
  ]);
  expect(problems.map((text) => textIn(english, text))).toEqual(problems);
});

test('what is wrong with a value has an id, wherever a page may say it', () => {
  const folders = ['domain', 'commands', 'tasks'];
  const problem =
    /['`]((?:must |belongs |needs |looks like |is (?:added|listed|not|there|the address)|the id of)[^'\n]*?)['`]/g;
  expect([...sourceOf(...folders).matchAll(problem)].map(([, text]) => text)).toEqual([]);
});

test('PG-11: no language has a text of the table of tasks that no page shows', () => {
  const ids = new Set(everywhere(english).map(([id]) => id));
  for (const about of entities) {
    const reads = sectionsOf(about).map(({ read }) => read.name);
    const {
      noun,
      columns,
      parts = {},
      none: _none,
      work: _work,
      intros: _intros,
      filters = {},
      fields: _fields,
      ...tasks
    } = english.tasks[textsOf(about) as 'user'] as unknown as Readonly<Record<string, object>>;
    const listed = [
      ...(noun ? ['noun'] : []),
      ...keysOf(columns ?? {}),
      ...Object.entries(parts).flatMap(([part, of]) => keysOf(of as object).map((key) => `${part} ${key}`)),
      ...keysOf(filters).map((field) => `filters ${field} title`),
      ...Object.entries(tasks)
        .filter(([task]) => !reads.includes(task))
        .flatMap(([task, of]) => [
          `${task} summary`,
          ...keysOf((of as { readonly fields?: object }).fields ?? {}).map(
            (field) => `${task} ${field} title`,
          ),
        ]),
    ];
    expect(listed.filter((id) => !ids.has(`${textsOf(about)} ${id}`))).toEqual([]);
  }
  for (const words of languages) {
    expect(keysOf(words.labels).filter((key) => !shown.keys.includes(key))).toEqual([]);
    expect(ofOwn(words, 'done').filter((name) => !answering.includes(name))).toEqual([]);
    expect(ofOwn(words, 'refusals').filter((code) => !allRefusals.has(code))).toEqual([]);
  }
});
