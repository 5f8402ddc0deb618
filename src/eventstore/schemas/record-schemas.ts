import { z } from 'zod';
import { changesOf, type RecordDescription, type RecordField } from '../../domain/record-resource.ts';
import { eachRecord, eachRecordEvent } from '../../domain/each-record.ts';
import { instant, whole } from './schemas-of.ts';

/** What every record of the host platform carries, and all that is left of it when it is removed. */
const key = { organizationId: z.string(), id: z.string(), version: whole, at: instant };

/** A record was checked when it came (records/schemas.ts): here only that it is what the program takes it for. */
const fieldSchema = (field: RecordField): z.ZodType => {
  const value = field.kind === 'one-of' ? z.enum(field.values) : z.string();
  return field.optional ? value.nullable() : value;
};

const recorded = ({ fields }: RecordDescription): z.ZodObject => {
  const shape = Object.entries(fields).map(([name, field]) => [name, fieldSchema(field)] as const);
  return z.strictObject({ ...key, ...Object.fromEntries(shape) });
};

export const recordSchemas = eachRecordEvent((resource, change): z.ZodObject =>
  change === 'Recorded' ? recorded(resource) : z.strictObject(key),
);

const schemaOfType: Readonly<Record<string, z.ZodObject>> = recordSchemas;

/** By the category of the stream that holds the events. */
export const recordSchemasByCategory = eachRecord('category', (resource) =>
  Object.fromEntries(
    changesOf(resource).flatMap((change) => {
      const type = `${resource.name}${change}`;
      const schema = schemaOfType[type];
      return schema ? [[type, schema] as const] : [];
    }),
  ),
);
