import { z } from 'zod';
import {
  type RecordDescription,
  type RecordField,
  type RecordOf,
} from '../../domain/records/record-resource.ts';
import {
  email,
  isAfter,
  languageTag,
  ownId,
  optional,
  recordId,
  status,
  text,
  time,
  version,
} from './fields.ts';
import { snakeCase } from '../../domain/kernel/snake-case.ts';

/** A record as a command takes it; `record` null removes it. */
export type ParsedRecord<T> = { readonly id: string; readonly version: number; readonly record: T | null };

/** What every line has. `deleted` may be given as false. */
const identity = { id: recordId, version, deleted: z.literal(false, 'must be true or false').optional() };

/** Strict on purpose: an unknown field would be lost silently. Turns the record of `interface.md` into the domain's. */
export const recordSchema = <R extends RecordDescription>({
  fields,
  later,
}: R): z.ZodType<ParsedRecord<RecordOf<R>>> => {
  const named = Object.entries(fields).map(([name, field]) => [name, snakeCase(name), field] as const);
  const shape = Object.fromEntries(named.map(([, onWire, field]) => [onWire, fieldSchema(field)]));
  const line = z.strictObject({ ...identity, ...shape });
  return (later ? line.refine(...ordered(fields, later)) : line).transform((read) => ({
    id: read.id,
    version: read.version,
    record: Object.fromEntries(
      named.map(([name, onWire]) => [name, (read as Readonly<Record<string, unknown>>)[onWire]]),
    ) as RecordOf<R>,
  }));
};

const fieldSchema = (field: RecordField): z.ZodType<string | null> => {
  const value = valueSchema(field);
  return field.optional ? optional(value) : value;
};

const valueSchema = (field: RecordField): z.ZodType<string> => {
  switch (field.kind) {
    case 'record-id':
      return recordId;
    case 'user-id':
      return ownId;
    case 'text':
      return text(field.maxLength);
    case 'email':
      return email;
    case 'language-tag':
      return languageTag;
    case 'time':
      return time;
    case 'one-of':
      return status(field.values);
  }
};

/** One time that has to be after another one; where it may be null, null counts as later than any time. */
const ordered = (fields: RecordDescription['fields'], later: NonNullable<RecordDescription['later']>) => {
  const [field, than] = [snakeCase(later.field), snakeCase(later.than)];
  const orNull = fields[later.field]?.optional ? ', or null' : '';
  return [
    (line: object) => {
      const { [field]: end, [than]: begin } = line as Readonly<Record<string, string | null>>;
      return end === null || isAfter(String(end), String(begin));
    },
    { path: [field], error: `must be after ${than}${orNull}` },
  ] satisfies Parameters<z.ZodObject['refine']>;
};

/** `{"id": …, "version": …, "deleted": true}` removes a record. */
export const removedRecord = z
  .strictObject({ id: recordId, version, deleted: z.literal(true) })
  .transform(({ id, version: ofRecord }) => ({ id, version: ofRecord, record: null }));
