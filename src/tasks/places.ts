import { z } from 'zod';
import { entities } from './entities.ts';
import { bodyOf, fieldsOf } from './fields.ts';
import type { At, Entity, Part, Task } from './task.ts';

export type Place = {
  readonly method: At['method'];
  readonly url: string;
  readonly inAddress: Readonly<Record<string, string>>;
  readonly input: z.ZodObject;
  /** Whether it makes an item of the list at this address. */
  readonly isOfList: boolean;
};

export const listAddressOf = ({ plural, api = '/operator/api' }: Pick<Entity, 'plural' | 'api'>): string =>
  `${api}/${plural}`;

/** The part of a path that names one of them. */
export const addressOf = (about: Pick<Entity, 'plural' | 'api' | 'idKey'>): string =>
  `${listAddressOf(about)}/{${about.idKey}}`;

export const isMaking = ({ making = [] }: Entity, task: Task): boolean => making.includes(task);

export const tasksOf = ({ tasks, making = [] }: Entity): readonly Task[] => [...making, ...tasks];

/** Where the API has a task. */
export const placeOf = (about: Entity, task: Task): Place => {
  const below = isMaking(about, task) ? listAddressOf(about) : addressOf(about);
  const { method, path }: At = task.at ?? { method: 'POST', path: task.name };
  const inAddress: Record<string, string> = {};
  const named = path.replaceAll(/\{(\w+)\}/g, (_all, field: string) => {
    const parameter = parameterOf(task, field);
    inAddress[parameter] = field;
    return `{${parameter}}`;
  });
  const fields = Object.entries(task.input.shape).filter(
    ([name]) => !Object.values(inAddress).includes(name),
  );
  return {
    method,
    url: named === '' ? below : `${below}/${named}`,
    inAddress,
    input: z.object(Object.fromEntries(fields)),
    isOfList: path === '',
  };
};

/** Operators read every event, and give a reason with what they do. */
export const isOfOperators = ({ api }: Pick<Entity, 'api'>): boolean => api === undefined;

/** Whether the audience gives a reason with what it does. */
export const takesReason = (about: Entity, { isRead, takesReason: asked }: Task): boolean =>
  isRead !== true && (isOfOperators(about) || asked === true);

/** What a body may have. */
export const bodyAt = (about: Entity, task: Task, { input }: Place): z.ZodObject =>
  takesReason(about, task) ? bodyOf(input) : input;

export const hasBody = (about: Entity, task: Task, place: Place): boolean =>
  Object.keys(bodyAt(about, task, place).shape).length > 0;

export const statusOf = ({ answers }: Task, { isOfList }: Place): number =>
  isOfList ? 201 : (answers?.status ?? 200);

/** What a field is called in an address: as the id of what it names, or `secret_id`. */
const parameterOf = (task: Task, name: string): string => {
  const { refersTo } = fieldsOf(task.input).find((field) => field.name === name) ?? {};
  return entities.find((about) => about.name === refersTo)?.idKey ?? `${name}_id`;
};

/** The words of a command, from the name of its group on. */
export const commandOf = ({ name }: Entity, { command, name: itsName }: Task | Part): string =>
  command?.words ?? `${name} ${itsName}`;
