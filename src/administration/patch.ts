import { z } from 'zod';
import type { CommandContext } from '../commands/kernel/context.ts';
import { idOf } from './find.ts';
import { unknownThing } from './outcomes.ts';
import { inputOf, perform, refuseIfChanged, type Performed } from './perform.ts';
import type { Entity, Json, Services, Task } from './task.ts';

const properties = ({ tasks, declared = [] }: Entity): readonly Task[] => [
  ...tasks.filter(({ isProperty }) => isProperty),
  ...declared,
];

/** All properties that `PATCH` changes, each optional; null where there are none. */
export const patchInput = (about: Entity): z.ZodObject | null => {
  const shapes = properties(about).map((task) => inputOf(task).partial().shape);
  return shapes.length === 0 ? null : z.object(Object.assign({}, ...shapes) as z.ZodRawShape);
};

/** Without what cannot be set and is so already: a whole answer, of `show` or of a change, may be sent back with what is to be changed. */
export const changedFields = async (
  services: Services,
  about: Entity,
  text: string,
  given: unknown,
): Promise<unknown> => {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) return given;
  const settable = patchInput(about)?.shape ?? {};
  const isAdded = (key: string) => properties(about).some(({ adds }) => Object.hasOwn(adds?.shape ?? {}, key));
  const isSettable = (key: string, value: unknown) =>
    Object.hasOwn(settable, key) && (settable[key] as z.ZodType).safeParse(value).success;
  if (Object.entries(given).every(([key, value]) => isSettable(key, value))) return given;
  const id = await idOf(services, about, text);
  const shown = id.ok ? await about.show(services, id.value) : null;
  if (shown === null) return given;
  return Object.fromEntries(
    Object.entries(given).filter(
      ([key, value]) =>
        isSettable(key, value) || !(isAdded(key) || (Object.hasOwn(shown, key) && isSame(value, shown[key]))),
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
  readonly shownAt?: bigint;
  readonly isEmpty: boolean;
};

/** Changes the properties that are sent, in the order of the tasks, up to the first refusal; `nothing-to-change` where none is sent. */
export const patch = async (
  services: Services,
  about: Entity,
  { id, input, shownAt, isEmpty }: Patch,
  context: CommandContext,
): Promise<Performed> => {
  if (isEmpty)
    return {
      ok: false,
      refusal: 'nothing-to-change',
      message: `nothing to change: send one of ${Object.keys(patchInput(about)?.shape ?? {}).join(', ')}`,
    };
  let performed: Performed | null = null;
  let since = shownAt;
  for (const task of properties(about)) {
    const { shape } = inputOf(task);
    const sent = Object.entries(input).filter(([name]) => name in shape);
    if (sent.length === 0) continue;
    const request = { id, input: Object.fromEntries(sent), ...(since !== undefined && { shownAt: since }) };
    performed = await perform(services, about, task, request, context);
    if (!performed.ok) return performed;
    if (performed.changed) since = undefined;
  }
  return performed ?? unchanged(services, about, id, shownAt);
};

const unchanged = async (
  services: Services,
  about: Entity,
  text: string,
  shownAt: bigint | undefined,
): Promise<Performed> => {
  const id = await idOf(services, about, text);
  if (!id.ok) return id;
  const json = await about.show(services, id.value);
  if (json === null) return unknownThing(about, text);
  const changed = await refuseIfChanged(services, about.stream(id.value), shownAt);
  return (
    changed ?? {
      ok: true,
      id: id.value,
      json,
      extra: {},
      text: '',
      stream: about.stream(id.value),
      changed: false,
      isThere: true,
    }
  );
};
