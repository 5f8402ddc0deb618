import type { z } from 'zod';
import { type ParsedRecord, removedRecord } from './schemas.ts';

/** `field` is null where the problem is the whole: a line of an import, or a message. */
export type RecordProblem = { readonly field: string | null; readonly message: string };

export type Parsed<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly problems: readonly RecordProblem[] };

/** Far more than any record needs, far less than an event may hold. */
export const maxRecordBytes = 256 * 1024;

/** Reads JSON that must be an object, the last of repeated keys. `whole`: its name in problems, such as `the line`. */
export const parseObject = (text: string, whole: string): Parsed<object> => {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return refused({ field: null, message: `${whole} is not JSON` });
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ok: true, value };
  return refused({ field: null, message: `${whole} must be a JSON object` });
};

/** Reports everything that is wrong with a record at once. */
export const checkRecord = <T>(
  schema: z.ZodType<ParsedRecord<T>>,
  value: object,
): Parsed<ParsedRecord<T>> => {
  const isRemoval = 'deleted' in value && value.deleted === true;
  const result = (isRemoval ? removedRecord : schema).safeParse(value);
  if (result.success) return { ok: true, value: result.data };
  return refused(...result.error.issues.flatMap(toProblems));
};

/** Reads one line of NDJSON. */
export const parseRecord = <T>(schema: z.ZodType<ParsedRecord<T>>, line: string): Parsed<ParsedRecord<T>> => {
  const object = parseObject(line, 'the line');
  return object.ok ? checkRecord(schema, object.value) : object;
};

const refused = (...problems: readonly RecordProblem[]) => ({ ok: false, problems }) as const;

const toProblems = (issue: z.core.$ZodIssue): readonly RecordProblem[] =>
  issue.code === 'unrecognized_keys'
    ? issue.keys.map((key) => ({ field: shown(key), message: 'is not a field of this record' }))
    : [{ field: shown(issue.path.map(String).join('.')), message: issue.message }];

/** A key is the sender's text: it is shown, but shortened, and without terminal control sequences. */
const shown = (field: string) =>
  (field.length > 80 ? `${field.slice(0, 79)}…` : field).replace(/[\p{C}\p{Zl}\p{Zp}]/gu, '?');
