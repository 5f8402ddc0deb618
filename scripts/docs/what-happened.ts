import { z } from 'zod';
import { spelled } from '../../src/domain/describe-event.ts';
import { describeEvent, eventDescriptions, type EventType } from '../../src/domain/events.ts';
import { textOf } from '../../src/domain/kernel/sentence.ts';

type Json = Readonly<Record<string, unknown>>;

/** What timelines say of an event, up to a colon or semicolon, with the names of fields where their values are. */
export const whatHappened = (type: EventType): string => {
  const times = new Map<string, string>();
  const schema = z.toJSONSchema(eventDescriptions[type].schema) as Json;
  const data = placeholder('', schema, times);
  const sentence = textOf(describeEvent({ type, data } as never, context));
  const named = sentence.replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, (time) => times.get(time) ?? time);
  const [first = ''] = named.split(/[:;] |\.$/);
  return `${first.charAt(0).toUpperCase()}${first.slice(1)}`;
};

/** The name of a field is a value that no text is for. */
const itself = <Texts extends object>(texts: Texts): Texts =>
  new Proxy(texts, { get: (all, name): unknown => Reflect.get(all, name) ?? name });

const { roles, purposes, statuses } = spelled.words;
const context = {
  ...spelled,
  words: {
    ...spelled.words,
    roles: itself(roles),
    purposes: itself(purposes),
    statuses: itself(statuses),
  },
  streamId: '`id`',
  owner: { organizationId: 'organizationId', addonId: 'addonId', userId: 'userId' },
  organization: () => 'the organization',
  addon: () => 'the add-on',
  user: () => 'the user',
};

/** A value that is shown as the field's name, also where a sentence counts with it or makes a time of it. */
const placeholder = (name: string, schema: Json, times: Map<string, string>): unknown => {
  const { type, const: constant, properties, items } = schema;
  const union = (schema['anyOf'] ?? schema['oneOf']) as readonly Json[] | undefined;
  const [first = {}] = union ?? [];
  const isRare = first['type'] === 'object' || first['const'] !== undefined;
  if (isRare && union?.some((one) => one['type'] === 'null')) return null;
  if (union) return placeholder(name, first, times);
  if (constant !== undefined) return constant;
  if (type === 'object')
    return Object.fromEntries(
      Object.entries(properties as Record<string, Json>).map(([field, of]) => [
        field,
        placeholder(field, of, times),
      ]),
    );
  if (type === 'array') return [placeholder(name, items as Json, times)];
  if (type === 'integer' || type === 'number') return numberNamed(name, times);
  return type === 'boolean' ? false : `\`${name}\``;
};

const numberNamed = (name: string, times: Map<string, string>): object => {
  const number = (times.size + 2) * 1000;
  times.set(new Date(number).toISOString(), `\`${name}\``);
  return { [Symbol.toPrimitive]: (hint: string) => (hint === 'string' ? `\`${name}\`` : number) };
};
