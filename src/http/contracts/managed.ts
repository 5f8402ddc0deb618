import { z } from 'zod';
import { entities } from '../../administration/entities.ts';
import { bodyOf } from '../../administration/fields.ts';
import { patchInput } from '../../administration/patch.ts';
import type { Entity, Task } from '../../administration/task.ts';

export type ManagedName = `Managed${string}`;

/** The name of an entity's schema in the document, or of what one of its tasks takes: `ManagedGrantRevoke`. */
export const schemaNameOf = ({ name }: Entity, task?: Pick<Task, 'name'>): ManagedName =>
  `Managed${capitalized(name)}${capitalized(task?.name ?? '')}`;

const capitalized = (name: string): string =>
  name.replace(/(?:^|-)(\w)/g, (_match, letter: string) => letter.toUpperCase());

const tasksOf = ({ tasks, making = [] }: Entity): readonly Task[] => [...tasks, ...making];

const _outcome = z
  .object({ text: z.string().describe('For people.'), changed: z.boolean() })
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
    });
    const changed = z.object({ ...about.shape.shape, ...(Object.assign({}, ...adds) as object), _outcome });
    return [
      [name, about.shape],
      [`${name}List`, page],
      [`${name}Changed`, changed],
      ...(about.parts ?? []).map((part) => [
        schemaNameOf(about, part),
        z.object({ ...about.shape.shape, items: z.array(part.item), next: page.shape.next }),
      ]),
    ];
  }),
) as Record<ManagedName, z.ZodObject>;

/** What it takes. */
export const managedBodies = Object.fromEntries(
  entities.flatMap((about) => {
    const properties = patchInput(about);
    const patched = properties === null ? [] : [{ name: 'change', input: properties }];
    return [...tasksOf(about), ...patched].map((task) => [schemaNameOf(about, task), bodyOf(task.input)]);
  }),
) as Record<ManagedName, z.ZodObject>;
