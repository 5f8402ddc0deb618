import type { Command } from 'commander';
import { fieldsOf, readInput, type Field } from '../administration/fields.ts';
import type { Entity, Json, Listed, Part, Task } from '../administration/task.ts';
import { answer, lines, refused, sheet, table, type Answer, type Text } from './base/answer.ts';
import type { CliIo } from './base/cli-io.ts';
import { agreed, notConfirmed } from './base/confirm.ts';
import { changing, leaf, type Run } from './base/define.ts';
import { describe } from './base/details.ts';
import { oneOrMoreOf, parseId, wholeFrom1To } from './base/option-values.ts';
import { readPassword } from './base/read-password.ts';
import { readStart } from './base/read-start.ts';
import { withTasks, type Tasks } from './base/tasks.ts';

type Options = Readonly<Record<string, unknown>>;

export type Ways = {
  /** Commands that the group already has. */
  readonly byHand?: readonly string[];
  readonly sheet?: (json: Json) => string;
  /** How many `list` answers by default. */
  readonly limit?: number;
  readonly sayChanged?: readonly string[];
};

type Described = Ways & {
  readonly about: Entity;
  readonly group: string;
};

/** Adds `list`, `show` and the tasks of an entity to its group of commands. */
export const addEntityCommands = (
  group: Command,
  about: Entity,
  io: CliIo,
  run: Run,
  ways: Ways = {},
): void => {
  const adds = (name: string) => !(ways.byHand ?? []).includes(name);
  const described = { ...ways, about, group: group.name() };
  if (adds('list')) addList(group, described, io, run);
  if (adds('show')) {
    const command = withId(leaf(group, 'show', `show one ${about.noun ?? about.name} as it is now`), about);
    describe(command, { json: keysOf(about.shape) });
    command.action((id: string) => run(() => withTasks(io, (tasks) => show(tasks, described, id))));
  }
  for (const part of about.parts ?? []) addPart(group, described, part, io, run);
  for (const task of about.tasks.filter(({ name }) => adds(name)))
    addTask(group, described, task, io, run, true);
  for (const task of (about.making ?? []).filter(({ name }) => adds(name)))
    addTask(group, described, task, io, run, false);
  for (const { name, effect } of [...about.tasks, ...(about.making ?? [])]) {
    const command = group.commands.find((one) => one.name() === name);
    if (command) describe(command, { effect });
  }
};

const keysOf = (shape: Task['input'] | undefined): readonly string[] => Object.keys(shape?.shape ?? {});

const withId = (command: Command, { name, noun = name, idKey }: Entity): Command =>
  command.argument('<id>', `${idKey} of the ${noun}`, parseId);

const addList = (group: Command, { about, limit: most = 50 }: Described, io: CliIo, run: Run): void => {
  const command = leaf(group, 'list', `list ${about.plural}`);
  describe(command, { json: ['items', 'next'] });
  addOptions(command, fieldsOf(about.filters));
  const { columns } = about;
  command.option(
    '--columns <names>',
    `of ${Object.keys(columns).join(',')}`,
    oneOrMoreOf(Object.keys(columns)),
  );
  paged(command, most).action(({ limit, after = null, columns: chosen }: ListOptions) => {
    const filters = inputOf(command, about.filters, {});
    return run(() =>
      withTasks(io, async (tasks) => {
        const listed = await tasks.list(about, filters, { after, limit });
        return answer({ ...listed }, textOf(about.plural, about, listed, chosen));
      }),
    );
  });
};

type PageOptions = { readonly limit: number; readonly after?: string | null };

type ListOptions = PageOptions & { readonly columns?: readonly string[] };

const paged = (command: Command, most: number): Command =>
  command
    .option('--limit <n>', 'maximum number, up to 1000', wholeFrom1To(1000), most)
    .option('--after <cursor>', 'next page: the `next` of the previous output');

const addPart = (group: Command, described: Described, part: Part, io: CliIo, run: Run): void => {
  const { about } = described;
  const command = withId(leaf(group, part.name, lowered(part.summary)), about);
  describe(command, { json: [...keysOf(about.shape), 'items', 'next'] });
  paged(command, 50).action((id: string, { limit, after = null }: PageOptions) =>
    run(() =>
      withTasks(io, async (tasks) => {
        const json = await tasks.listPart(about, part, id, { after, limit });
        return json === null
          ? unknown(described, id)
          : answer(json, textOf(part.name, part, json as Json & Listed));
      }),
    ),
  );
};

const addTask = (
  group: Command,
  described: Described,
  task: Task,
  io: CliIo,
  run: Run,
  takesId: boolean,
): void => {
  const { about } = described;
  const command = changing(group, task.name, lowered(task.summary));
  if (takesId) withId(command, about);
  const asks = task.isFinal === true || task.isConfirmed === true;
  if (asks) command.option('--yes', 'skip the confirmation at a terminal');
  const fields = fieldsOf(task.input);
  const argument = fields.find(({ name }) => name === task.argument);
  if (argument) command.argument(`<${argument.name}>`, argument.description);
  addOptions(
    command,
    fields.filter(
      ({ kind, name, isRequired }) => (kind !== 'secret' || !isRequired) && name !== task.argument,
    ),
  );
  const changed = (described.sayChanged ?? []).includes(task.name) ? ['changed'] : [];
  describe(command, { json: [...keysOf(about.shape), ...keysOf(task.adds), ...changed] });
  command.action((id: unknown, value: unknown) =>
    run(async () => {
      const besides = argument ? { [argument.name]: value } : await readSecrets(command, fields, io);
      const files = await readFiles(command, fields);
      if ('unreadable' in files) return refusedFile(files.unreadable);
      const input = inputOf(command, task.input, { ...besides, ...files.read });
      if (task.isProperty && Object.keys(input).length === 0)
        command.error('error: nothing to change: give at least one option', { exitCode: 2 });
      const warning = `${task.summary} ${String(id)}. ${task.effect}`;
      const { yes = false } = command.opts<{ readonly yes?: boolean }>();
      if (asks && !(await agreed(io, { yes, word: String(id), warning }))) return notConfirmed;
      return withTasks(io, (tasks) =>
        runTask(tasks, described, task, { id: takesId ? String(id) : '', input }),
      );
    }),
  );
};

const addOptions = (command: Command, fields: readonly Field[]): void => {
  for (const { name, kind, description, isRequired } of fields) {
    const option = optionOf(name);
    const words = kind === 'several' ? `${description}; several may be given` : description;
    const flags =
      { flag: option, secret: option, several: `${option} <value...>`, file: `${option} <file>` }[
        kind as string
      ] ?? `${option} <value>`;
    if (isRequired) command.requiredOption(flags, words);
    else command.option(flags, words);
  }
};

/** A field that is no option: its value must not be in the list of processes. */
const readSecrets = async (command: Command, fields: readonly Field[], io: CliIo): Promise<Json> => {
  const [field] = fields.filter(({ kind }) => kind === 'secret');
  if (!field || !isWanted(command, field)) return {};
  const value = await readPassword(io);
  if (value === '' && field.isRequired)
    command.error(
      `error: the ${field.title.toLowerCase()} is missing: type it, or pass it as one line on standard input`,
    );
  return value === '' ? {} : { [field.name]: value };
};

type Files =
  { readonly read: Json } | { readonly unreadable: { readonly option: string; readonly file: string } };

/** Files in base64, without what is longer than they may be. */
const readFiles = async (command: Command, fields: readonly Field[]): Promise<Files> => {
  const read: Record<string, string> = {};
  for (const { name, mostBytes } of fields.filter(({ kind }) => kind === 'file')) {
    const file = command.opts<Options>()[camelCased(name)];
    if (typeof file !== 'string') continue;
    const bytes = await readStart(file, mostBytes + 1);
    if (bytes === null) return { unreadable: { option: optionOf(name), file } };
    read[name] = bytes.toString('base64');
  }
  return { read };
};

const refusedFile = ({ option, file }: { readonly option: string; readonly file: string }): Answer =>
  refused(`${option.slice(2)}-unreadable`, `the file ${file} of ${option} cannot be read`);

/** A secret that may be left out has an option without a value, which says that it comes. */
const isWanted = (command: Command, { name, isRequired }: Field): boolean =>
  isRequired || command.opts<Options>()[camelCased(name)] === true;

/** The options as the task's fields, as they were typed. A wrong one is a usage error. */
const inputOf = (command: Command, input: Task['input'], besides: Json): Json => {
  const options = command.opts<Options>();
  const given = fieldsOf(input).flatMap(({ name }): readonly (readonly [string, unknown])[] => {
    const value = options[camelCased(name)];
    return value === undefined ? [] : [[name, value]];
  });
  const typed = { ...Object.fromEntries(given), ...besides };
  const read = readInput(input, typed);
  if (read.ok) return typed;
  const wrong = read.problems.map(
    ({ field, allowed }) => `option '${optionOf(field)}' is invalid. Allowed is ${allowed}.`,
  );
  return command.error(`error: ${wrong.join(' ')}`, { exitCode: 2 });
};

const optionOf = (name: string): string => `--${name.replaceAll('_', '-')}`;

const camelCased = (name: string): string =>
  name.replace(/_([a-z])/g, (_match, letter: string) => letter.toUpperCase());

const lowered = (summary: string): string => summary.charAt(0).toLowerCase() + summary.slice(1);

const runTask = async (
  tasks: Tasks,
  described: Described,
  task: Task,
  { id, input }: { readonly id: string; readonly input: Json },
): Promise<Answer> => {
  const { about, sheet: print = sheetOf, sayChanged = [] } = described;
  const done = await tasks.perform(about, task, { id, input });
  if (!done.ok) {
    const where = done.refusal === `${about.name}-unknown` ? whereToLook(described) : '';
    return refused(done.refusal, `${done.message}${where}`, done.problems);
  }
  const json = sayChanged.includes(task.name) ? { ...done.json, changed: done.changed } : done.json;
  return answer(json, `${done.text}\n${print(done.json)}`);
};

const show = async (tasks: Tasks, described: Described, id: string): Promise<Answer> => {
  const { about, sheet: print = sheetOf } = described;
  const json = await tasks.show(about, id);
  return json === null ? unknown(described, id) : answer(json, print(json));
};

const unknown = (described: Described, id: string): Answer => {
  const { name, noun = name } = described.about;
  return refused(`${name}-unknown`, `there is no ${noun} ${id}${whereToLook(described)}`);
};

const whereToLook = ({ group, about: { plural, filters } }: Described): string =>
  `; grantbook ${group} list${'search' in filters.shape ? ' --search NAME' : ''} finds ${plural}`;

const textOf = (
  plural: string,
  { columns }: Pick<Entity, 'columns'>,
  { items, next }: Listed,
  chosen: readonly string[] | null = null,
): Text => {
  const keys = chosen ?? Object.keys(columns);
  const all = chosen === null ? '--columns chooses, --json has all' : null;
  const rows = items.map((item) => keys.map((key) => cellOf(valueOf(item[key]))));
  return lines(
    items.length === 0 ? `No ${plural} match.` : table(keys.map(words), rows, all),
    ...(next === null ? [] : [`More: --after ${next}`]),
  );
};

/** A receiver's error, for example, may be long: `show` has all of it. No id is as long. */
const cellOf = (value: string): string => (value.length > 60 ? `${value.slice(0, 59)}…` : value);

const sheetOf = (json: Json): string =>
  sheet(Object.fromEntries(Object.entries(json).map(([key, value]) => [words(key), valueOf(value)])));

/** Ids keep their key: it is what other commands and the JSON call them. */
const words = (key: string): string => (key.endsWith('_id') ? key : key.replaceAll('_', ' '));

const valueOf = (value: unknown): string => {
  if (value === null || value === undefined || value === '') return 'none';
  if (Array.isArray(value)) return value.map(valueOf).join('  ') || 'none';
  if (typeof value === 'object')
    return Object.values(value)
      .filter((part) => part !== null)
      .map(valueOf)
      .join(' ');
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  return typeof value === 'string' ? value : JSON.stringify(value);
};
