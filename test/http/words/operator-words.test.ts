import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { entities as ofOperators } from '../../../src/tasks/entities.ts';
import { ownAddons } from '../../../src/tasks/publishing.ts';
import { itemsIn, sectionsOf } from '../../../src/tasks/sections.ts';
import { shownField, standings } from '../../../src/tasks/answer-fields.ts';
import { bodyOf, brokenRule, fieldsOf, readInput } from '../../../src/tasks/fields.ts';
import { tasksOf } from '../../../src/tasks/places.ts';
import { cursorProblem, type Entity, type Services, type Task } from '../../../src/tasks/task.ts';
import { grantTypes, idTokenAlgs } from '../../../src/domain/addons/events.ts';
import { scopes } from '../../../src/domain/access/scope.ts';
import { translated } from '../../../src/http/operator/in-words.ts';
import { en, type Words } from '../../../src/http/words/en.ts';
import { languages } from '../../../src/http/words/languages.ts';

const entities = [...ofOperators, ownAddons];
const others = languages.filter(({ tag }) => tag !== 'en');
/** A third language, made up, which has nothing of the table of tasks. */
const empty: Words = { ...en, tag: 'x-empty' };

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

/** What a page says of the fields of a form, and of what they accept. */
const ofFields = (input: Entity['filters']): readonly string[] =>
  fieldsOf(input).flatMap(({ title, description, allowed }) => [title, description, allowed]);

/** Those that have a form. */
const asked = (about: Entity): readonly Task[] => {
  const reads = sectionsOf(about).map(({ read }) => read);
  return tasksOf(about).filter((task) => !reads.includes(task));
};

/** Texts of the table of tasks, as the pages of an entity show them. */
const textsOf = (about: Entity): readonly string[] => [
  about.noun ?? about.name,
  ...Object.values(about.columns),
  ...ofFields(about.filters),
  ...asked(about).flatMap(({ summary, effect, effectNow, input, rules = [] }) => [
    summary,
    ...(effectNow
      ? [true, false].map((isFree) => effectNow({ own: { isFree } } as unknown as Services))
      : [effect]),
    ...ofFields(about === ownAddons ? input : bodyOf(input)),
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
  ...(about.parts ?? []).flatMap(({ columns }) => Object.values(columns)),
  ...sectionsOf(about).flatMap(({ read: { rows } }) =>
    rows ? [rows.none, ...Object.values(rows.columns)] : [],
  ),
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

/** Its answer is on the page of the thing; what is shown once has a page of its own. */
const isInSection = (about: Entity, task: Task): boolean =>
  task.answers?.shape.shape['client_secret'] === undefined &&
  sectionsOf(about).some(({ read, tasks }) => read === task || tasks.includes(task));

const shownBy = (about: Entity): Shown =>
  joined([
    { keys: [about.plural, ...(about.parts ?? []).map(({ name }) => name)], values: [] },
    inAnswer(about.shape),
    ...tasksOf(about).flatMap((task) => [
      inAnswer(task.adds),
      isInSection(about, task) ? none : inAnswer(task.answers?.shape),
      { keys: [], values: fieldsOf(task.input).flatMap(({ values }) => values) },
    ]),
    ...sectionsOf(about).flatMap((section) => {
      const items = itemsIn(section);
      const facts = inAnswer(section.read.answers?.shape);
      const inRows = Object.keys(items?.columns ?? {}).map((key) => inAnswer(items?.item.shape[key]));
      return [
        { keys: [section.name], values: [] },
        ...(items ? inRows.map(({ values }) => ({ keys: [], values })) : [facts]),
      ];
    }),
    { keys: [], values: filtersIn(about).flatMap(({ values }) => values) },
    ...(about.parts ?? []).map(({ item, columns }) => ({
      keys: [],
      values: Object.keys(columns).flatMap((key) => inAnswer(item.shape[key]).values),
    })),
  ]);

const texts = [...new Set(entities.flatMap(textsOf))].filter((text) => text !== '');
const shown = joined(entities.map(shownBy));
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
  'addon.list-organizations',
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

/** What is wrong with a field, where the domain and the commands say so; a value in it is 7. */
const problems = new Set(
  [
    ...sourceOf(
      'domain/kernel',
      'domain/addons',
      'domain/people',
      'domain/signals',
      'domain/access',
      'commands',
      'tasks',
    ).matchAll(
      /['`]((?:must |belongs |needs |looks like |is (?:added|listed|not|there|the address)|the id of|there are none)[^'\n]*?)['`]/g,
    ),
  ].map(([, text = '']) => text.replaceAll(/\$\{[^}]*\}/g, '7')),
);

const lackedBy = (words: Words): readonly string[] => {
  const { tasks } = words.operator;
  return [
    ...[...texts, ...problems].filter((text) => translated(words, text) === null),
    ...shown.keys.filter((key) => key !== 'user_id' && tasks.labels[key] === undefined),
    ...values.filter((value) => tasks.values[value] === undefined),
    ...[...refusals].filter((code) => tasks.refusals[code] === undefined),
    ...answering.filter((name) => tasks.done[name] === undefined),
  ];
};

test.each(others)('PG-11: the table of tasks has all its texts in $name', (words) => {
  expect(lackedBy(words)).toEqual([]);
});

test('FX-94: a user_id has no label of its own, as whoever it is has one', () => {
  for (const { operator } of languages) expect(operator.tasks.labels['user_id']).toBeUndefined();
  for (const { operator } of others)
    for (const key of ['proposed_by', 'approved_by', 'refused_by', 'member'])
      expect(operator.tasks.labels[key]).toBeDefined();
});

test('PG-11: what a language lacks is found: texts, labels, values, refusals, and what was done', () => {
  const lacked = lackedBy(empty);
  expect(lacked.length).toBeGreaterThan(400);
  expect(lacked).toEqual(
    expect.arrayContaining([
      'Change the name',
      'Grants and tokens stay.',
      'a text of 1 to 100 characters on one line',
      'nothing without auditor',
      'must not be empty',
      'redirect_uris',
      'revoked',
      'last-operator',
      'user.invite',
    ]),
  );
});

test.each(others)('PG-11: the table of tasks has no text in $name that no page shows', (words) => {
  const { tasks } = words.operator;
  const all = [...texts, ...problems];
  expect(Object.keys(tasks.texts).filter((text) => !all.includes(text))).toEqual([]);
  expect(Object.keys(tasks.labels).filter((key) => !shown.keys.includes(key))).toEqual([]);
  expect(Object.keys(tasks.done).filter((name) => !answering.includes(name))).toEqual([]);
  expect(Object.keys(tasks.refusals).filter((code) => !allRefusals.has(code))).toEqual([]);
});
