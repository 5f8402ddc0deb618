import { z } from 'zod';

export type JsonSchema = Readonly<Record<string, unknown>>;

/**
 * As AsyncAPI 3.0 takes it: a superset of JSON Schema draft 7. What is said of a time by `format` is not said again as a
 * regular expression.
 */
const options = {
  target: 'draft-7',
  override: ({ jsonSchema }: { readonly jsonSchema: z.core.JSONSchema.BaseSchema }) => {
    if (jsonSchema.format === 'date-time') delete jsonSchema.pattern;
  },
} as const;

const withoutDialect = ({ $schema: _dialect, ...schema }: JsonSchema): JsonSchema => schema;

/** Of what we write: readers are to ignore fields that they do not know, for there may be more of them. */
export const writtenSchema = (schema: z.ZodType): JsonSchema =>
  openEverywhere(withoutDialect(z.toJSONSchema(schema, options) as JsonSchema)) as JsonSchema;

/** Of what we read: a field that is not known is refused. */
export const readSchema = (schema: z.ZodType): JsonSchema =>
  withoutDialect(z.toJSONSchema(schema, { ...options, io: 'input' }) as JsonSchema);

const openEverywhere = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(openEverywhere);
  if (typeof value !== 'object' || value === null) return value;
  const kept = Object.entries(value).filter(
    ([key, inner]) => !(key === 'additionalProperties' && inner === false),
  );
  return Object.fromEntries(kept.map(([key, inner]) => [key, openEverywhere(inner)]));
};
