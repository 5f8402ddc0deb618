import { z } from 'zod';

/** Parameters of a query or form, each with its description; an array is a parameter that may be repeated. */
export type ParameterTable = z.ZodObject;

type NameIn<Table extends ParameterTable> = Table extends ParameterTable
  ? keyof Table['shape'] & string
  : never;

/** The parameter names of tables, so that the checks and the document use the same names. */
export const namesOf = <Tables extends readonly ParameterTable[]>(
  ...tables: Tables
): readonly NameIn<Tables[number]>[] => [
  ...new Set(tables.flatMap(({ shape }) => Object.keys(shape) as NameIn<Tables[number]>[])),
];

/** The names of parameters that may occur only once (G-04). */
export const singleNamesOf = <Tables extends readonly ParameterTable[]>(
  ...tables: Tables
): readonly NameIn<Tables[number]>[] =>
  namesOf(...tables).filter((name) => !tables.some(({ shape }) => isRepeatable(shape[name])));

const isRepeatable = (schema: unknown): boolean =>
  schema instanceof z.ZodOptional ? isRepeatable(schema.unwrap()) : schema instanceof z.ZodArray;
