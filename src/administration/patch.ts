import { z } from 'zod';
import type { CommandContext } from '../commands/kernel/context.ts';
import { perform, type Performed } from './perform.ts';
import type { Entity, Json, Services } from './task.ts';

const properties = ({ tasks }: Entity) => tasks.filter(({ isProperty }) => isProperty);

/** All properties that `PATCH` changes, each optional; null where there are none. */
export const patchInput = (about: Entity): z.ZodObject | null => {
  const shapes = properties(about).map(({ input }) => input.partial().shape);
  return shapes.length === 0 ? null : z.object(Object.assign({}, ...shapes) as z.ZodRawShape);
};

/** Changes the properties that are sent, in the order of the tasks, up to the first refusal; `nothing-to-change` where none is sent. */
export const patch = async (
  services: Services,
  about: Entity,
  { id, input, shownAt }: { readonly id: string; readonly input: Json; readonly shownAt?: bigint },
  context: CommandContext,
): Promise<Performed> => {
  let performed: Performed = {
    ok: false,
    refusal: 'nothing-to-change',
    message: `nothing to change: send one of ${Object.keys(patchInput(about)?.shape ?? {}).join(', ')}`,
  };
  let since = shownAt;
  for (const task of properties(about)) {
    const sent = Object.entries(input).filter(([name]) => name in task.input.shape);
    if (sent.length === 0) continue;
    const request = { id, input: Object.fromEntries(sent), ...(since !== undefined && { shownAt: since }) };
    performed = await perform(services, about, task, request, context);
    if (!performed.ok) return performed;
    since = undefined;
  }
  return performed;
};
