import type { z } from 'zod';
import { fieldsOf, type Field } from '../../tasks/fields.ts';
import { listsIn, sectionsOf, tasksOfItem, tasksOfList } from '../../tasks/sections.ts';
import type { Ended, Entity, Json, Services, Task } from '../../tasks/task.ts';
import type { FormField } from '../pages/components.ts';
import type { Words } from '../../common/words.ts';
import type { Choices } from './choices.ts';
import { fieldIn, valueIn } from './in-words.ts';

export type Filled = {
  readonly typed: ReadonlyMap<string, readonly string[]>;
  readonly problems: readonly { readonly field: string; readonly text: string }[];
  /** Where several have the name that was typed: which. */
  readonly options: Readonly<Record<string, Options | undefined>>;
  /** Why it was refused, which some fields override. */
  readonly refusal?: string;
};
export const nothingTyped: Filled = { typed: new Map(), problems: [], options: {} };

/** Its page says what it ends, and its button is red. */
export const isEnding = ({ ends, isFinal, isConfirmed }: Task): boolean =>
  isFinal === true || isConfirmed !== undefined || ends !== undefined;

/** `redirect_uris`, `add_redirect_uri` and `remove_redirect_uri` are about the same. */
const subjectOf = (name: string): string => name.replace(/^(?:add|remove|has)_/, '').replace(/s$/, '');

const isAbout = (field: Field, key: string): boolean =>
  subjectOf(field.name) === subjectOf(key) || field.about === subjectOf(key);

const propertyTask = (about: Entity, key: string): Task | undefined =>
  about.tasks.find(
    ({ isProperty, isProposal, input }) =>
      (isProperty ?? isProposal) === true && fieldsOf(input).some((field) => isAbout(field, key)),
  );

/** The task that changes the property of a fact, and what its page is asked for; null where none does. */
export const changeOf = (about: Entity, key: string, json: Json): ChangeOf | null => {
  const task = propertyTask(about, key);
  if (task === undefined || task.isUseful?.(json) === false) return null;
  return { task, query: fieldsOf(task.input).length > 1 ? `?field=${key}` : '' };
};

type ChangeOf = { readonly task: Task; readonly query: string };

/** Whether it can do anything to the thing as it is. */
export const isUseful = (task: Task, json: Json): boolean => task.isUseful?.(json) ?? true;

/** Those that end something come last. */
export const endsLast = (tasks: readonly Task[]): readonly Task[] =>
  tasks.toSorted((one, other) => Number(isEnding(one)) - Number(isEnding(other)));

/** Tasks about the whole thing, which no fact and no list leads to, and that are possible now. */
export const actionsOf = (about: Entity, json: Json): readonly Task[] => {
  const inLists = listNamesOf(about).flatMap((name) => tasksOfList(about, name));
  return endsLast(
    about.tasks.filter(
      (task) =>
        !task.isRead &&
        !task.of &&
        !inLists.includes(task) &&
        isUseful(task, json) &&
        !(task.isProperty === true && Object.keys(json).some((key) => propertyTask(about, key) === task)),
    ),
  );
};

const listNamesOf = (about: Entity): readonly string[] =>
  [...(about.parts ?? []), ...sectionsOf(about), ...listsIn(about)].map(({ name }) => name);

/** What can be done to an item of a list now. */
export const actionsOnItem = (about: Entity, name: string, item: Json, all: readonly Json[]) =>
  endsLast(tasksOfItem(about, name).filter(({ of }) => of?.isPossible?.(item, all) ?? true));

/** What names an item to a task, by the fields of the task. */
export const namingItem = ({ of }: Task, item: Json): readonly (readonly [field: string, value: string])[] =>
  Object.entries(of?.fields ?? {}).flatMap(([field, key]) => {
    const value = item[key];
    return typeof value === 'string' || typeof value === 'number' ? [[field, String(value)] as const] : [];
  });

/** The fields of a form: all, or those about one property, with what was typed, and with what is wrong. */
export const fieldsAbout = (
  task: Task,
  input: z.ZodObject,
  key: string | undefined,
  { typed, problems, refusal = '' }: Filled,
): readonly Field[] => {
  // What was shown is no question.
  const all = fieldsOf(input).filter(
    ({ name, overrides }) =>
      !(name in (task.of?.fields ?? {})) &&
      !(task.shows && name === 'revision') &&
      (overrides?.includes(refusal) ?? true),
  );
  if (key === undefined || !all.some((field) => isAbout(field, key))) return all;
  return all.filter(
    (field) =>
      isAbout(field, key) ||
      field.name === 'reason' ||
      (typed.get(field.name)?.[0] ?? '') !== '' ||
      problems.some((problem) => problem.field === field.name),
  );
};

/** What a field that removes values of a list can be filled in with; empty for other fields. */
export const valuesThere = (name: string, json: Json): readonly string[] =>
  name.startsWith('remove_') ? textsIn(json[`${name.slice('remove_'.length)}s`]) : [];

/** Nothing is removed where there is nothing. */
const isPointless = (name: string, json: Json): boolean =>
  name.startsWith('remove_') &&
  Array.isArray(json[`${name.slice('remove_'.length)}s`]) &&
  valuesThere(name, json).length === 0;

const textsIn = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];

type Options = NonNullable<FormField['options']>;

/** The options of a choice, with what is chosen. */
export const optionsIn = (
  words: Words,
  { options }: Choices[string],
  chosen: Options[number] | null = null,
): Options => [
  ...options.map(({ value, label }) => ({ value, label: label ?? valueIn(words, value) })),
  ...(chosen === null || options.some(({ value }) => value === chosen.value) ? [] : [chosen]),
];

/** What a form shows of a field; a property has its value. What a field can be is a choice (FX-99). */
export const formFields = (
  words: Words,
  of: Pick<Entity, 'name'>,
  task: Task,
  fields: readonly Field[],
  json: Json,
  { typed, problems, options: found }: Filled,
  choices: Choices,
): readonly FormField[] =>
  fields
    .filter(({ name }) => !isPointless(name, json))
    .map((field) => {
      const { name, kind, isRequired, values } = field;
      const { title, description } = fieldIn(words, of, task, field);
      const choice = choices[name];
      const current = json[name] ?? json[`${name}s`];
      const known = Array.isArray(current) ? current.join('\n') : typeof current === 'string' ? current : '';
      const value =
        typed.get(name)?.join('\n') ?? ((task.isProperty ?? task.isProposal) === true ? known : '');
      const there = kind === 'several' ? valuesThere(name, json) : [];
      const some = there.length > 0 ? there : values;
      const chosen = value === '' || kind === 'several' ? null : { value, label: value };
      const isOffered = choice?.suggested === null;
      const ofAll = isOffered ? optionsIn(words, choice, chosen) : null;
      const options = found[name] ?? (kind === 'several' ? null : ofAll);
      const offered = options ?? ofAll ?? some.map((each) => ({ value: each, label: valueIn(words, each) }));
      const isChecks = kind === 'several' && offered.length > 0;
      const hints = [description, kind === 'several' && !isChecks && words.operator.oneALine];
      return {
        id: `${task.name}-${name}`,
        name,
        kind: options !== null ? 'choice' : isChecks ? 'checks' : kind,
        label: title,
        // A secret is typed again, and a file chosen again.
        value: kind === 'secret' || kind === 'file' ? '' : value.slice(0, 10_000),
        isRequired,
        hint: hints.filter(Boolean).join('; '),
        problem: problems.find((problem) => problem.field === name)?.text ?? null,
        // Nobody names a thing by leaving the first one.
        options: isChecks || (isRequired && !isOffered) ? offered : [{ value: '', label: '–' }, ...offered],
        suggested: choice?.suggested ?? null,
      };
    });

const mostCounted = 1_000;

/** What a task ends, counted: "3 sessions", "4 grants". Empty where that is not known. */
export const whatEnds = async (
  { operator: { ends } }: Words,
  { commands, readModels }: Services,
  { name }: Pick<Entity, 'name'>,
  task: Task,
  id: string,
): Promise<readonly string[]> => {
  const page = { after: null, limit: mostCounted + 1 };
  const count: Readonly<Record<Ended, () => Promise<number>>> = {
    sessions: async () => (await commands.sessionsOf(id)).live.length,
    async grants() {
      const kind = name as 'organization' | 'user' | 'addon';
      const rows = await readModels.grants({ about: { kind, id }, state: 'active' }, page);
      return rows.filter((row) => kind !== 'user' || row.organizationId === null).length;
    },
    activeAddons: async () =>
      (await readModels.addonsOf(id)).filter(({ status }) => status === 'active').length,
  };
  return Promise.all(
    (task.ends ?? []).map(async (kind) => {
      const counted = await count[kind]();
      return ends[kind](Math.min(counted, mostCounted), counted > mostCounted);
    }),
  );
};
