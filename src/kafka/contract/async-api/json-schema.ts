import { z } from 'zod';

export type JsonSchema = Readonly<Record<string, unknown>>;

/** AsyncAPI 3.0's dialect, a superset of JSON Schema draft 7. Times have a `format`, no regular expression. */
const options = {
  target: 'draft-7',
  override: ({ jsonSchema }: { readonly jsonSchema: z.core.JSONSchema.BaseSchema }) => {
    if (jsonSchema.format === 'date-time') delete jsonSchema.pattern;
  },
} as const;

const withoutDialect = ({ $schema: _dialect, ...schema }: JsonSchema): JsonSchema => schema;

/** For messages that we write: readers must ignore unknown fields, because fields may be added. */
export const writtenSchema = (schema: z.ZodType): JsonSchema =>
  openEverywhere(withoutDialect(z.toJSONSchema(schema, options) as JsonSchema)) as JsonSchema;

/** For messages that we read: unknown fields are refused. */
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

/** CloudEvents `dataschema`: the schema of a message's data within the AsyncAPI document of the service. */
export const schemaAddress = (baseUrl: string, type: string): string =>
  `${baseUrl}/asyncapi.json#/components/schemas/${type}`;
