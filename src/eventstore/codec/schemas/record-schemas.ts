import { z } from 'zod';
import {
  changesOf,
  type RecordDescription,
  type RecordField,
} from '../../../domain/records/record-resource.ts';
import { eachRecord, eachRecordEvent } from '../../../domain/records/each-record.ts';
import { instant, mustKnow, whole } from './schemas-of.ts';

/** Fields of every record of the host platform; a removal contains only these. */
const key = { organizationId: z.string(), id: z.string(), version: whole, at: instant };

/** Records were validated on arrival (records/schemas.ts): this only ensures the types that the program relies on. */
const fieldSchema = (field: RecordField): z.ZodType => {
  const value = field.kind === 'one-of' ? z.enum(field.values) : z.string();
  return field.optional ? value.nullable() : value;
};

const recorded = ({ fields }: RecordDescription) => {
  const shape = Object.entries(fields).map(([name, field]) => [name, fieldSchema(field)] as const);
  return mustKnow({ ...key, ...Object.fromEntries(shape) });
};

export const recordSchemas = eachRecordEvent((resource, change) =>
  change === 'Recorded' ? recorded(resource) : mustKnow(key),
);

const schemaOfType: Readonly<Record<string, z.ZodObject>> = recordSchemas;

/** By the category of the streams. */
export const recordSchemasByCategory = eachRecord('category', (resource) =>
  Object.fromEntries(
    changesOf(resource).flatMap((change) => {
      const type = `${resource.name}${change}`;
      const schema = schemaOfType[type];
      return schema ? [[type, schema] as const] : [];
    }),
  ),
);
