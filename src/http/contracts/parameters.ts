import { z } from 'zod';
import { ulid } from './fields.ts';

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

export const pathParameters = z.object({
  organization_id: ulid().describe('The organization’s id.'),
  client_id: ulid().describe('The add-on’s id.'),
  user_id: ulid().describe('The account’s id.'),
  publisher_id: ulid().describe('The publisher’s id.'),
  change_id: ulid().describe('The change’s id.'),
  grant_id: ulid().describe('The grant’s id.'),
  secret_id: ulid().describe('The client secret’s id.'),
  token_id: ulid().describe('The administrator token’s id.'),
  stream_id: z.string().describe('The signal stream’s id.'),
  records_id: z.string().describe('A kind of records, as its list is called: `profiles`.'),
  provider: z.string().describe('The sign-in provider’s id in the settings.'),
  kind: z.string().meta({ description: 'A problem’s name.', examples: ['token-expired'] }),
});
