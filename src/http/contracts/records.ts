import { z } from 'zod';
import { type RecordDescription, type RecordField } from '../../domain/records/record-resource.ts';
import { instant, recordId } from './fields.ts';
import { snakeCase } from '../../domain/kernel/snake-case.ts';

/** A record as its list returns it (LI-07). Fields of an erased person are `erased`: no format is promised for them. */
export const recordItem = ({ fields, words }: RecordDescription) =>
  z
    .object({
      id: recordId(),
      version: z.int().min(1).describe('The host platform’s: grows with each change of the record.'),
      ...Object.fromEntries(
        Object.entries(fields).map(([name, field]) => [snakeCase(name), fieldSchema(field)]),
      ),
      created_at: instant().describe('When the record was received. Lists use this order, oldest first.'),
      updated_at: instant().describe('When the newest version came in.'),
    })
    .describe(words.description);

const fieldSchema = (field: RecordField): z.ZodType => {
  const { description, shown } = field;
  const value = field.optional ? valueSchema(field).nullable() : valueSchema(field);
  if (description === undefined && shown === undefined) return value;
  return value.meta({
    ...(description !== undefined && { description }),
    ...(shown !== undefined && { examples: [shown] }),
  });
};

const valueSchema = (field: RecordField): z.ZodType => {
  switch (field.kind) {
    case 'record-id':
      return recordId();
    case 'time':
      return instant();
    case 'one-of':
      return z.enum(field.values);
    case 'user-id':
    case 'text':
    case 'email':
    case 'language-tag':
      return z.string();
  }
};
