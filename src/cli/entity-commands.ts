import type { z } from 'zod';
import type { Command } from 'commander';
import type { Names } from '../tasks/find.ts';
import { brokenRule, fieldsOf, pageFields, readInput, type Field, type Rule } from '../tasks/fields.ts';
import { commandOf, isMaking, takesReason, tasksOf } from '../tasks/places.ts';
import type { Person } from '../tasks/people/to-whom.ts';
import type { Entity, Json, Listed, Part, Task } from '../tasks/task.ts';
import { answer, refused, refusedAs, type Answer } from './base/answer.ts';
import type { CliIo } from './base/cli-io.ts';
import { agreed, isConfirmed, notConfirmed } from './base/confirm.ts';
import { changing, leaf, type Run } from './base/define.ts';
import { describe } from './base/details.ts';
import { addOptions, lowered, optionIn, optionOf } from './base/fields.ts';
import { listText, sheetOf, type ShownList, withColumns } from './base/list.ts';
import { parseId, wholeFrom1To } from './base/option-values.ts';
import { readPassword } from './base/read-password.ts';
import { readStart } from './base/whole-file.ts';
import { withTasks, type Tasks } from './base/tasks.ts';

type Options = Readonly<Record<string, unknown>>;

export type Ways = {
  readonly sheet?: (json: Json, names: Names) => string;
  /** Of answers of tasks, by their shapes. */
  readonly sheets?: ReadonlyMap<z.ZodObject, (json: Json, names: Names) => string>;
  /** How many `list` answers by default. */
  readonly limit?: number;
  /** The words of the group whose `list` finds one of them. */
  readonly listedBy?: string;
  /** What groups within the group are about. */
  readonly groups?: Readonly<Record<string, string>>;
};

type Described = Ways & {
  readonly about: Entity;
  readonly group: string;
};

/** Adds to a group of commands what an entity has there: `list`, `show`, its tasks and its lists. */
export const addEntityCommands = (
  group: Command,
  about: Entity,
  io: CliIo,
  run: Run,
  ways: Ways = {},
): void => {
  const described = { ...ways, about, group: ways.listedBy ?? group.name() };
  const isHere = (one: Task | Part) => commandOf(about, one).split(' ')[0] === group.name();
  if (about.name === group.name()) {
    addList(group, described, io, run);
    addShow(group, described, io, run);
  }
  for (const task of tasksOf(about).filter(isHere)) addTask(group, described, task, io, run);
  for (const part of (about.parts ?? []).filter(isHere)) addPart(group, described, part, io, run);
};

const placeOf = (group: Command, { about, groups = {} }: Described, one: Task | Part) => {
  const [, ...words] = commandOf(about, one).split(' ');
  const name = words.pop() ?? '';
  let parent = group;
  for (const word of words)
    parent =
      parent.commands.find((command) => command.name() === word) ??
      parent.command(word).description(groups[word] ?? '');
  return { parent, name };
};

const keysOf = (shape: Task['input'] | undefined): readonly string[] => Object.keys(shape?.shape ?? {});

/** An id as an argument, or in exactly one of some options. */
const withId = (
  command: Command,
  { name, noun = name, idKey }: Entity,
  options: readonly string[] = [],
): Command => {
  const [first, ...others] = options;
  const words = `${idKey} of the ${noun}`;
  if (first === undefined) return command.argument('<id>', words, parseId);
  const flags = `--${first} <id>`;
  if (others.length === 0) return command.requiredOption(flags, words, parseId);
  command.option(flags, words, parseId);
  for (const other of others) command.option(`--${other} <id>`, 'the same', parseId);
  return command;
};

/** The id, and the arguments after it. A wrong number of options is a usage error. */
const idIn = (command: Command, options: readonly string[] = []) => {
  if (options.length === 0) {
    const [id, ...others] = command.args;
    return { id: id ?? '', others };
  }
  const given = options.map((name) => command.opts<Options>()[name]).filter((id) => typeof id === 'string');
  if (given.length !== 1)
    command.error(`error: exactly one of ${options.map((name) => `--${name}`).join(' and ')} is required`, {
      exitCode: 2,
    });
  return { id: given[0] ?? '', others: command.args };
};

const addShow = (group: Command, described: Described, io: CliIo, run: Run): void => {
  const { about } = described;
  const command = withId(leaf(group, 'show', `show one ${about.noun ?? about.name} as it is now`), about);
  describe(command, { json: keysOf(about.shape) });
  command.action((id: string) => run(() => withTasks(io, (tasks) => show(tasks, described, id))));
};

const addList = (group: Command, { about, limit: most = 50 }: Described, io: CliIo, run: Run): void => {
  const command = leaf(group, 'list', `list ${about.plural}`);
  describe(command, { json: ['items', 'next', 'names'] });
  addOptions(command, fieldsOf(about.filters));
  withColumns(paged(command, most), Object.keys(about.columns)).action(
    ({ limit, after = null, columns: chosen }: ListOptions) => {
      const filters = inputOf(command, about.filters, {});
      return run(() =>
        withTasks(io, async (tasks) => {
          const found = await tasks.list(about, filters, { after, limit });
          if (!found.ok) return refusedAs(found);
          const listed = found.value;
          return answer({ ...listed }, listText(shownOf(about.plural, about, listed), chosen));
        }),
      );
    },
  );
};

type PageOptions = { readonly limit: number; readonly after?: string | null };

type ListOptions = PageOptions & { readonly columns?: readonly string[] };

const paged = (command: Command, most: number): Command =>
  command
    .option('--limit <n>', 'maximum number, up to 1000', wholeFrom1To(1000), most)
    .option('--after <cursor>', 'next page: the `next` of the previous output');

/** A receiver's error, for example, may be long: `show` has all of it. No id is as long. */
const mostInCell = 60;

const shownOf = (plural: string, { columns }: Pick<Entity, 'columns'>, listed: Listed): ShownList => ({
  ...listed,
  columns: Object.keys(columns),
  none: `No ${plural} match.`,
  mostInCell,
});

const addPart = (group: Command, described: Described, part: Part, io: CliIo, run: Run): void => {
  const { about } = described;
  const { idOptions, prints } = part.command ?? {};
  const { parent, name } = placeOf(group, described, part);
  const command = withId(leaf(parent, name, lowered(part.summary)), about, idOptions);
  describe(command, {
    json: prints === undefined ? [...keysOf(about.shape), 'items', 'next', 'names'] : [about.idKey, prints],
  });
  withColumns(paged(command, 50), Object.keys(part.columns)).action(() => {
    const { limit, after = null, columns: chosen } = command.opts<ListOptions>();
    const { id } = idIn(command, idOptions);
    return run(() =>
      withTasks(io, async (tasks) => {
        const found = await tasks.listPart(about, part, id, { after, limit });
        if (!found.ok) return refusedAs(found);
        const { value: json } = found;
        if (json === null) return unknown(described, id);
        const printed =
          prints === undefined ? json : { [about.idKey]: json[about.idKey], [prints]: json.items };
        return answer(printed, listText(shownOf(part.name, part, json), chosen));
      }),
    );
  });
};

const addTask = (group: Command, described: Described, task: Task, io: CliIo, run: Run): void => {
  const { about } = described;
  const { idOptions, requires = [], prints } = task.command ?? {};
  const takesId = !isMaking(about, task);
  const { parent, name } = placeOf(group, described, task);
  const hasReason = takesReason(about, task);
  const command = (hasReason ? changing : leaf)(parent, name, lowered(task.summary));
  if (takesId) withId(command, about, idOptions);
  const asks = task.isFinal === true || task.isConfirmed !== undefined;
  if (asks || task.toWhom) command.option('--yes', 'skip the confirmation at a terminal');
  const fields = fieldsOf(task.input).map((field) => {
    if (task.shows && field.name === 'revision') return { ...field, ...ofShown, isRequired: false };
    return requires.includes(field.name) ? { ...field, isRequired: true } : field;
  });
  const argument = fields.find((field) => field.name === task.argument);
  if (argument) command.argument(`<${argument.name}>`, argument.description);
  const isPaged = task.input === pageFields;
  if (isPaged) paged(command, 50);
  addOptions(
    command,
    fields.filter(
      ({ kind, name: itsName, isRequired }) =>
        (kind !== 'secret' || !isRequired) && itsName !== task.argument && !(isPaged && isOfPage(itsName)),
    ),
  );
  if (task.rows) withColumns(command, Object.keys(task.rows.columns));
  const whole = task.answers ? keysOf(task.answers.shape) : [...keysOf(about.shape), ...keysOf(task.adds)];
  describe(command, { json: prints ?? whole, ...(!task.isRead && { effect: task.effect }) });
  command.action(() =>
    run(async () => {
      const { id, others } = takesId ? idIn(command, idOptions) : { id: '', others: command.args };
      keepRules(command, task.rules ?? []);
      const besides = argument ? { [argument.name]: others[0] } : await readSecrets(command, fields, io);
      const files = await readFiles(command, fields);
      if ('unreadable' in files) return refusedFile(files.unreadable);
      const isToShow = task.shows !== undefined && optionIn(command, 'revision') === undefined;
      if (isToShow && io.stdin.isTTY !== true)
        command.error('error: nothing was done: pass --revision, which says what you have seen', {
          exitCode: 2,
        });
      const input = inputOf(command, isToShow ? task.shows.input : task.input, { ...besides, ...files.read });
      if (task.isProperty && Object.keys(input).length === 0)
        command.error('error: nothing to change: give at least one option', { exitCode: 2 });
      const word = String(argument ? others[0] : id);
      const warning = `${task.summary} ${word}. ${task.effect}`;
      const { yes = false } = command.opts<{ readonly yes?: boolean }>();
      if (task.isConfirmed === 'always') {
        if (!(await isConfirmed(io, { yes, word, warning })))
          command.error(`error: nothing was done: pass --yes, or type ${word} at a terminal`, {
            exitCode: 2,
          });
      } else if (asks && !(await agreed(io, { yes, word, warning }))) return notConfirmed;
      const { columns } = command.opts<Pick<ListOptions, 'columns'>>();
      return withTasks(io, async (tasks) => {
        const request = { id, input, columns };
        if (isToShow) {
          const shown = await askedShown(tasks, io, described, task, request);
          return 'exitCode' in shown ? shown : runTask(tasks, described, task, shown);
        }
        if (!task.toWhom || yes || io.stdin.isTTY !== true) return runTask(tasks, described, task, request);
        const asked = await askedWhom(tasks, io, task, request);
        return 'exitCode' in asked ? asked : runTask(tasks, described, task, asked);
      });
    }),
  );
};

const ofShown = {
  description:
    'what you have seen, as addon change show prints it; without it, a terminal shows the change and asks',
};

/** The request, with the revision of what was shown and confirmed at a terminal (FX-94). */
const askedShown = async (
  tasks: Tasks,
  io: CliIo,
  { about, sheets }: Described,
  task: Task,
  { id, input, columns }: Request,
): Promise<Request | Answer> => {
  const { shows, argument = '' } = task;
  if (!shows) return { id, input, columns };
  const found = await tasks.perform(about, shows, { id, input });
  if (!found.ok) return refusedAs(found);
  const print = (shows.answers && sheets?.get(shows.answers.shape)) ?? sheetOf;
  const warning = `${print(found.json, found.names)}\n\n${task.summary}. ${task.effect}`;
  const word = String(input[argument]);
  if (!(await isConfirmed(io, { yes: false, word, warning }))) return notConfirmed;
  return { id, input: { ...input, revision: found.json['revision'] }, columns };
};

/** The request, with the id of who was shown and confirmed at a terminal (FX-85). */
const askedWhom = async (
  tasks: Tasks,
  io: CliIo,
  task: Task,
  request: Request,
): Promise<Request | Answer> => {
  const [{ users }, { personText }] = await Promise.all([
    import('../tasks/users.ts'),
    import('../tasks/people/to-whom.ts'),
  ]);
  const { id, input } = request;
  const isOfField = 'user' in input;
  const word = isOfField ? String(input['user']) : id;
  const found = await tasks.show(users, word);
  if (!found.ok) return refusedAs(found);
  if (found.value === null) return request;
  const person = found.value.json as Person;
  const warning = `${task.summary}, to ${personText(person)}. ${task.effect}`;
  if (!(await isConfirmed(io, { yes: false, word, warning }))) return notConfirmed;
  return isOfField
    ? { ...request, input: { ...input, user: person.user_id } }
    : { ...request, id: person.user_id };
};

const isOfPage = (name: string): boolean => name in pageFields.shape;

/** A broken rule is a usage error. */
const keepRules = (command: Command, rules: readonly Rule[]): void => {
  const given = Object.fromEntries(
    rules
      .flatMap((rule) => [rule.field, ...('excludes' in rule ? rule.excludes : [])])
      .concat(rules.flatMap((rule) => ('needs' in rule ? [rule.needs] : [])))
      .concat(rules.flatMap((rule) => ('requiredUnless' in rule ? [rule.requiredUnless] : [])))
      .map((name) => [name, optionIn(command, name)]),
  );
  const broken = brokenRule(rules, given);
  if (broken === null) return;
  const [field, other] = [optionOf(broken.field), optionOf(broken.other)];
  const message =
    'needs' in broken
      ? `${field} needs ${other}`
      : 'excludes' in broken
        ? `option '${field}' cannot be used with option '${other}'`
        : `required option '${field}' not specified`;
  command.error(`error: ${message}`, { exitCode: 2 });
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
    const file = optionIn(command, name);
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
  isRequired || optionIn(command, name) === true;

/** The options as the task's fields, as they were typed. A wrong one is a usage error. */
const inputOf = (command: Command, input: Task['input'], besides: Json): Json => {
  const given = fieldsOf(input).flatMap(({ name, kind }): readonly (readonly [string, unknown])[] => {
    const value = optionIn(command, name);
    if (value === undefined) return [];
    return [
      [
        name,
        kind === 'number' && typeof value === 'string' && /^\d{1,9}$/.test(value) ? Number(value) : value,
      ],
    ];
  });
  const typed = { ...Object.fromEntries(given), ...besides };
  const read = readInput(input, typed);
  if (read.ok) return typed;
  const wrong = read.problems.map(
    ({ field, allowed }) => `option '${optionOf(field)}' is invalid. Allowed is ${allowed}.`,
  );
  return command.error(`error: ${wrong.join(' ')}`, { exitCode: 2 });
};

type Request = {
  readonly id: string;
  readonly input: Json;
  readonly columns: readonly string[] | undefined;
};

const runTask = async (
  tasks: Tasks,
  described: Described,
  task: Task,
  { id, input, columns }: Request,
): Promise<Answer> => {
  const { about, sheet: ofThing = sheetOf, sheets } = described;
  const { prints } = task.command ?? {};
  const ofAnswer = task.answers && sheets?.get(task.answers.shape);
  const done = await tasks.perform(about, task, { id, input });
  if (!done.ok) {
    const where = done.refusal === `${about.name}-unknown` ? whereToLook(described) : '';
    const said = refusedAs({ ...done, message: `${done.message}${where}` });
    const print = ofAnswer ?? sheetOf;
    return done.current ? { ...said, text: `${said.text}\n${print(done.current, {})}` } : said;
  }
  const json = prints
    ? Object.fromEntries(Object.entries(done.json).filter(([key]) => prints.includes(key)))
    : done.json;
  if (task.rows) return answer(json, listText(rowsOf(task.rows, done.json), columns));
  const own = prints || task.answers ? null : ofThing;
  const print = ofAnswer ?? (done.text === '' ? sheetOf : own);
  return answer(
    json,
    [done.text, ...(print ? [print(done.json, done.names)] : [])].filter(Boolean).join('\n'),
  );
};

const rowsOf = ({ of, columns, none }: NonNullable<Task['rows']>, json: Json): ShownList => ({
  columns: Object.keys(columns),
  items: json[of] as ShownList['items'],
  next: typeof json['next'] === 'string' ? json['next'] : null,
  none,
  mostInCell,
});

const show = async (tasks: Tasks, described: Described, id: string): Promise<Answer> => {
  const { about, sheet: print = sheetOf } = described;
  const found = await tasks.show(about, id);
  if (!found.ok) return refusedAs(found);
  const { value: shown } = found;
  return shown === null ? unknown(described, id) : answer(shown.json, print(shown.json, shown.names));
};

const unknown = (described: Described, id: string): Answer => {
  const { name, noun = name } = described.about;
  return refused(`${name}-unknown`, `there is no ${noun} ${id}${whereToLook(described)}`);
};

const whereToLook = ({ group, about: { plural, filters } }: Described): string =>
  `; grantbook ${group} list${'search' in filters.shape ? ' --search NAME' : ''} finds ${plural}`;
