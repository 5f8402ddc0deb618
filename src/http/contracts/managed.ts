import { z } from 'zod';
import { entities } from '../../tasks/entities.ts';
import { bodyOf } from '../../tasks/fields.ts';
import { patchInput } from '../../tasks/patch.ts';
import { placeOf, tasksOf } from '../../tasks/places.ts';
import type { Entity, Part, Task } from '../../tasks/task.ts';

export type ManagedName = `Managed${string}`;

/** The name of an entity's schema in the document, or of what one of its tasks takes: `ManagedGrantRevoke`. */
export const schemaNameOf = ({ name }: Entity, task?: Pick<Task | Part, 'name'>): ManagedName =>
  `Managed${capitalized(name)}${capitalized(task?.name ?? '')}`;

const capitalized = (name: string): string =>
  name.replace(/(?:^|-)(\w)/g, (_match, letter: string) => letter.toUpperCase());

/** The name of what a task answers. */
export const answerNameOf = (about: Entity, task: Task): ManagedName =>
  (task.answers?.name ?? `${schemaNameOf(about, task)}Answer`) as ManagedName;

/** The name of what a task takes. */
export const bodyNameOf = (about: Entity, task: Task): ManagedName =>
  (task.bodyName ?? schemaNameOf(about, task)) as ManagedName;

const names = z.record(z.string(), z.string()).describe('What the ids of other things in it are called.');

const _outcome = z
  .object({ text: z.string().describe('For people.'), changed: z.boolean(), names })
  .partial()
  .optional()
  .describe('What was done, in words; only with `Prefer: outcome`.');

/** What the operators' API answers about each kind of thing: one, many, and one after a change. */
export const managedAnswers = Object.fromEntries(
  entities.flatMap((about) => {
    const name = schemaNameOf(about);
    const adds = tasksOf(about).map(({ adds: added }) => added?.partial().shape ?? {});
    const page = z.object({
      items: z.array(about.shape),
      next: z.string().nullable().describe('The `after` of the next page; `null` at the end.'),
      names: names.optional(),
    });
    const changed = z.object({ ...about.shape.shape, ...(Object.assign({}, ...adds) as object), _outcome });
    return [
      [name, about.shape.extend({ _outcome })],
      [`${name}List`, page],
      [`${name}Changed`, changed],
      ...tasksOf(about).flatMap((task) =>
        task.answers ? [[answerNameOf(about, task), task.answers.shape.extend({ _outcome })] as const] : [],
      ),
      ...(about.parts ?? []).map((part) => [
        schemaNameOf(about, part),
        z.object({
          ...about.shape.shape,
          items: z.array(part.item),
          next: page.shape.next,
          names: page.shape.names,
        }),
      ]),
    ];
  }),
) as Record<ManagedName, z.ZodObject>;

export const managedBodies = Object.fromEntries(
  entities.flatMap((about) => {
    const properties = patchInput(about);
    const patched = properties === null ? [] : [{ name: 'change', input: properties }];
    return [
      ...tasksOf(about)
        .filter(({ isRead }) => !isRead)
        .map((task) => [schemaNameOf(about, task), bodyOf(placeOf(about, task).input)] as const),
      ...patched.map((task) => [schemaNameOf(about, task), bodyOf(task.input)] as const),
    ];
  }),
) as Record<ManagedName, z.ZodObject>;
