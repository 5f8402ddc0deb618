import fc from 'fast-check';
import { z } from 'zod';
import type { EventType } from '../../../src/domain/events.ts';
import { eventSchemas } from '../../../src/eventstore/codec/codec.ts';

type Json = Readonly<Record<string, unknown>>;

/** Stands in nothing else, so that finding it in a message proves where it came from. */
const uniqueText = fc
  .noBias(fc.array(fc.integer({ min: 0, max: 31 }), { minLength: 26, maxLength: 26 }))
  .map((digits) => digits.map((digit) => '0123456789ABCDEFGHJKMNPQRSTVWXYZ'[digit]).join(''));

/** An instant as well as a number; long enough not to be found by chance. */
const uniqueNumber = fc.noBias(fc.integer({ min: 1_000_000_000_000, max: 4_000_000_000_000 }));

/** Any data that an event of this type can have in its newest version. */
export const dataOf = (type: EventType): fc.Arbitrary<Json> =>
  fromSchema(z.toJSONSchema(eventSchemas[type]) as Json) as fc.Arbitrary<Json>;

const fromSchema = (schema: Json): fc.Arbitrary<unknown> => {
  const alternatives = (schema['anyOf'] ?? schema['oneOf']) as readonly Json[] | undefined;
  if (alternatives) return fc.oneof(...alternatives.map(fromSchema));
  const types = schema['type'];
  if (Array.isArray(types)) return fc.oneof(...types.map((type) => fromSchema({ ...schema, type })));
  if ('const' in schema) return fc.constant(schema['const']);
  if ('enum' in schema) return fc.constantFrom(...(schema['enum'] as readonly unknown[]));
  switch (types) {
    case 'string':
      return uniqueText;
    case 'integer':
      return uniqueNumber;
    case 'boolean':
      return fc.boolean();
    case 'null':
      return fc.constant(null);
    case 'array':
      return fc.array(fromSchema(schema['items'] as Json), { maxLength: 4 });
    case 'object':
      return fc.record(
        Object.fromEntries(
          Object.entries(schema['properties'] as Record<string, Json>).map(([name, field]) => [
            name,
            fromSchema(field),
          ]),
        ),
      );
    default:
      throw new Error(`no arbitrary for ${JSON.stringify(schema)}`);
  }
};

export const text = uniqueText;

/** Every text and number in a value, at whatever depth, as they would be seen in a message. */
export const tracesOf = (value: unknown): readonly string[] => {
  if (typeof value === 'string') return [value];
  if (typeof value === 'number') return [String(value), new Date(value).toISOString()];
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap(tracesOf);
};
