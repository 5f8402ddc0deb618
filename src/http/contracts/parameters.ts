import { z } from 'zod';

/** Parameters of a query or form, each with its description; an array is a parameter that may come several times. */
export type ParameterTable = z.ZodObject;

type NameIn<Table extends ParameterTable> = Table extends ParameterTable
  ? keyof Table['shape'] & string
  : never;

/** The names that tables know: what the checks look for is what the document shows. */
export const namesOf = <Tables extends readonly ParameterTable[]>(
  ...tables: Tables
): readonly NameIn<Tables[number]>[] => [
  ...new Set(tables.flatMap(({ shape }) => Object.keys(shape) as NameIn<Tables[number]>[])),
];

/** Those that may come only once (G-04). */
export const singleNamesOf = <Tables extends readonly ParameterTable[]>(
  ...tables: Tables
): readonly NameIn<Tables[number]>[] =>
  namesOf(...tables).filter((name) => !tables.some(({ shape }) => isRepeatable(shape[name])));

const isRepeatable = (schema: unknown): boolean =>
  schema instanceof z.ZodOptional ? isRepeatable(schema.unwrap()) : schema instanceof z.ZodArray;
