import { z } from 'zod';
import type { CommandContext } from '../commands/kernel/context.ts';
import { idOf } from './find.ts';
import { unknownThing } from './outcomes.ts';
import { givenTo } from './people/to-whom.ts';
import { perform, type Performed } from './perform.ts';
import type { Entity, Json, Services, Task } from './task.ts';

/** All properties that `PATCH` changes, each optional; null where there are none. */
export const patchInput = ({ tasks, change, declares }: Entity): z.ZodObject | null => {
  if (change === undefined) return null;
  const shapes = tasks.filter(({ isProperty }) => isProperty).map(({ input }) => input.partial().shape);
  return z.object(Object.assign({}, ...shapes, declares?.partial().shape) as z.ZodRawShape);
};

/** What the answer to a change has in addition. */
export const addedBy = ({ tasks, toWhom }: Entity): z.ZodRawShape =>
  Object.assign(
    {},
    ...tasks.filter(({ isProperty }) => isProperty).map(({ adds }) => adds?.shape),
    toWhom && givenTo,
  ) as z.ZodRawShape;

/** Without what cannot be set and is so already: a whole answer, of `show` or of a change, may be sent back with what is to be changed. */
export const changedFields = async (
  services: Services,
  about: Entity,
  text: string,
  given: unknown,
): Promise<unknown> => {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) return given;
  const settable = patchInput(about)?.shape ?? {};
  const added = addedBy(about);
  const isSettable = (key: string, value: unknown) =>
    Object.hasOwn(settable, key) && (settable[key] as z.ZodType).safeParse(value).success;
  if (Object.entries(given).every(([key, value]) => isSettable(key, value))) return given;
  const id = await idOf(services, about, text);
  const shown = id.ok ? await about.show(services, id.value) : null;
  if (shown === null) return given;
  return Object.fromEntries(
    Object.entries(given).filter(
      ([key, value]) =>
        isSettable(key, value) ||
        !(Object.hasOwn(added, key) || (Object.hasOwn(shown, key) && isSame(value, shown[key]))),
    ),
  );
};

/** Of two values of JSON; the order of keys does not count. */
const isSame = (one: unknown, other: unknown): boolean => {
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null)
    return one === other;
  const [first, second] = [Object.entries(one), Object.entries(other)];
  return (
    Array.isArray(one) === Array.isArray(other) &&
    first.length === second.length &&
    first.every(([key, value]) => Object.hasOwn(other, key) && isSame(value, (other as Json)[key]))
  );
};

/** What is to be different; `isEmpty`: nothing was sent at all, not even what is so already. */
type Patch = {
  readonly id: string;
  readonly input: Json;
  readonly shownAt?: readonly bigint[];
  readonly isEmpty: boolean;
};

/** Changes all properties that are sent, or none (RFC 5789 §2); `nothing-to-change` where none is sent. */
export const patch = async (
  services: Services,
  about: Entity,
  { isEmpty, ...request }: Patch,
  context: CommandContext,
): Promise<Performed> => {
  const input = patchInput(about) ?? z.object({});
  if (isEmpty)
    return {
      ok: false,
      refusal: 'nothing-to-change',
      message: `nothing to change: send one of ${Object.keys(input.shape).join(', ')}`,
    };
  const whom = about.toWhom && { toWhom: about.toWhom };
  return perform(services, about, { ...patching, ...whom, input, run: changing(about) }, request, context);
};

const patching = { name: 'change', summary: 'Change properties', effect: '' };

const changing =
  (about: Entity): Task['run'] =>
  async (services, id, input, context) => {
    if (about.change && Object.keys(input).length > 0) return about.change(services, id, input, context);
    const shown = await about.show(services, id);
    return shown === null ? unknownThing(about, id) : { ok: true, text: '', position: null };
  };
