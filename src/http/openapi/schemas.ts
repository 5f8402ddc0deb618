import { z } from 'zod';
import { answerSchemas, formSchemas, type ComponentName } from '../contracts/components.ts';
import type { ParameterTable } from '../contracts/parameters.ts';

export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };
export type JsonSchema = { readonly [key: string]: Json };

export const refTo = (name: ComponentName): JsonSchema => ({ $ref: `#/components/schemas/${name}` });

/** JSON Schema 2020-12, without `additionalProperties: false`: answers may grow, unknown form parameters are ignored (G-03). */
export const componentSchemas = (): Readonly<Record<ComponentName, JsonSchema>> =>
  ({ ...named(answerSchemas, 'output'), ...named(formSchemas, 'input') }) as Record<
    ComponentName,
    JsonSchema
  >;

const named = (schemas: Readonly<Record<string, z.ZodType>>, io: 'input' | 'output') => {
  const registry = z.registry<{ id: string }>();
  for (const [id, schema] of Object.entries(schemas)) registry.add(schema, { id });
  const uri = (id: string) => `#/components/schemas/${id}`;
  const converted = z.toJSONSchema(registry, { uri, io }).schemas;
  return Object.fromEntries(Object.entries(converted).map(([id, schema]) => [id, clean(schema as Json)]));
};

/** The parameters of a table, for `@fastify/swagger`. */
export const parametersOf = (table: ParameterTable): Json =>
  clean(z.toJSONSchema(table, { io: 'input' }) as Json);

/** Removes keywords that only a standalone schema file needs, and the ban on additional fields. */
const clean = (value: Json): Json => {
  if (Array.isArray(value)) return value.map(clean);
  if (typeof value !== 'object' || value === null) return value;
  const kept = Object.entries(value).filter(
    ([key, inner]) =>
      key !== '$schema' &&
      key !== '$id' &&
      key !== 'readOnly' &&
      key !== 'x-allowed' &&
      key !== 'x-given' &&
      key !== 'x-secret' &&
      key !== 'x-most' &&
      key !== 'x-most-bytes' &&
      key !== 'x-overrides' &&
      key !== 'x-offered' &&
      !(key === 'additionalProperties' && inner === false) &&
      !(key === 'propertyNames'),
  );
  return Object.fromEntries(kept.map(([key, inner]) => [key, clean(inner)]));
};
