import { z } from 'zod';
import { shownFields } from './answer-fields.ts';
import { readInput } from './fields.ts';
import type { Entity, Json, Part, Services, Task, TaskRefused } from './task.ts';

/** A list of things that belong to one of them. */
export type Items = Pick<Part, 'name' | 'item' | 'columns' | 'list'>;

/** What its page has below the facts: what a task reads, and what can be done there. */
export type Section = {
  /** Its addresses begin with it. */
  readonly name: string;
  readonly read: Task;
  readonly tasks: readonly Task[];
};

/** As many as a page has without going on. */
const most = 200;
/** A task that reads appends no event, which would name this. */
const reading = { traceparent: '00-00000000000000000000000000000000-0000000000000000-00' };

const inputOf = ({ input }: Task): Json | null => {
  const read = readInput(input, 'limit' in input.shape ? { limit: most } : {});
  return read.ok ? read.value : null;
};

const nameOf = ({ at, name }: Task): string => at?.path.split('/')[0] ?? name;

/** The tasks that only read and need no input, each with those at the same addresses. */
export const sectionsOf = (about: Entity): readonly Section[] =>
  about.tasks
    .filter((task) => task.isRead === true && !task.of && inputOf(task) !== null)
    .map((read) => ({
      name: nameOf(read),
      read,
      tasks: about.tasks.filter((task) => task.isRead !== true && nameOf(task) === nameOf(read)),
    }));

export const readSection = async (
  services: Services,
  { read }: Section,
  id: string,
): Promise<{ readonly json: Json } | TaskRefused> => {
  const done = await read.run(services, id, inputOf(read) ?? {}, reading);
  return done.ok ? { json: done.json ?? {} } : done;
};

/** The list in what a section reads; null: it reads facts. */
export const itemsIn = (section: Section): Items | null => {
  const { read, name } = section;
  const { rows, answers } = read;
  const list = rows && answers?.shape.shape[rows.of];
  if (!rows) return null;
  return {
    name,
    columns: rows.columns,
    item: (list instanceof z.ZodReadonly ? list.unwrap() : list)?.element as z.ZodObject,
    list: async (services, id) => {
      const found = await readSection(services, section, id);
      return { items: 'json' in found ? (found.json[rows.of] as readonly Json[]) : [], next: null };
    },
  };
};

/** The lists of things in what `show` answers. */
export const listsIn = (about: Entity): readonly Items[] =>
  [...shownFields(about.shape)]
    .filter(([, field]) => field.item !== undefined && field.isRepeated !== true)
    .map(([name, { item = z.object({}), fields }]) => ({
      name,
      item,
      columns: Object.fromEntries([...fields.keys()].map((key) => [key, key])),
      list: async (services, id) => {
        const shown = await about.show(services, id);
        return { items: (shown?.[name] ?? []) as readonly Json[], next: null };
      },
    }));

/** All lists of a thing that a task can be about an item of. */
export const itemsOf = (about: Entity, name: string | undefined): Items | undefined =>
  [...(about.parts ?? []), ...sectionsOf(about).map(itemsIn), ...listsIn(about)].find(
    (items) => items?.name === name,
  ) ?? undefined;

/** The tasks that are about one of these. */
export const tasksOfItem = (about: Entity, name: string): readonly Task[] =>
  about.tasks.filter((task) => task.isRead !== true && task.of?.part === name);

/** The tasks that add to a list, or are about it as a whole. */
export const tasksOfList = (about: Entity, name: string): readonly Task[] =>
  about.tasks.filter(
    (task) => task.isRead !== true && !task.of && (task.into ?? task.at?.path.split('/')[0]) === name,
  );
