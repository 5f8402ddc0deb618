import { z } from 'zod';

type Json = Record<string, unknown>;

/** The fields of an object schema in words: what `docs/reference/events.md` and the fixtures hold on to. */
export const describeFields = (schema: z.ZodType): Record<string, string> => {
  const { properties, required, additionalProperties } = z.toJSONSchema(schema) as Json;
  const fields = Object.entries(properties as Record<string, Json>);
  if (additionalProperties !== false) throw new Error('an event schema takes no unknown fields');
  const optional = fields.filter(([name]) => !(required as string[]).includes(name));
  if (optional.length > 0) throw new Error(`write null instead of leaving out ${String(optional[0]?.[0])}`);
  return Object.fromEntries(fields.map(([name, field]) => [name, describe(field)]));
};

/** A field that came to an event later is null in what was stored before: to readers it is like the others. */
const describe = ({ default: before = null, ...schema }: Json): string => {
  if (before !== null) throw new Error('what a field was before it came is null');
  const { type, enum: values, items, anyOf, oneOf, const: constant, description: _meaning, ...rest } = schema;
  const union = (anyOf ?? oneOf) as Json[] | undefined;
  if (union) return only(rest, [], union.map(describe).join(' or '));
  if (constant !== undefined) return only(rest, [], `\`${constant as string}\``);
  if (values)
    return only(rest, [], `one of ${(values as string[]).map((value) => `\`${value}\``).join(', ')}`);
  if (type === 'array') return only(rest, [], `list of ${describe(items as Json)}`);
  if (type === 'integer') return only(rest, ['minimum', 'maximum'], 'integer');
  if (type === 'object')
    return only(rest, ['properties', 'required', 'additionalProperties'], nested(schema));
  return only(rest, [], [type].flat().join(' or '));
};

const nested = ({ properties }: Json): string =>
  `{ ${Object.entries(properties as Record<string, Json>)
    .map(([name, field]) => `${name}: ${describe(field)}`)
    .join(', ')} }`;

/** A rule that these words do not say would slip past the fixtures: refuse it. */
const only = (rest: Json, known: readonly string[], words: string): string => {
  const unsaid = Object.keys(rest).filter((key) => !known.includes(key));
  if (unsaid.length > 0) throw new Error(`teach describe-schema the words for: ${unsaid.join(', ')}`);
  return words;
};
