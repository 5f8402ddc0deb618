import type { z } from 'zod';
import { removedRecord } from './schemas.ts';

/** A record as a command takes it; `record` null removes it. */
export type ParsedRecord<T> = { readonly id: string; readonly version: number; readonly record: T | null };

/** `field` is null where the line as a whole is meant. */
export type LineProblem = { readonly field: string | null; readonly message: string };

export type ParsedLine<T> =
  | { readonly ok: true; readonly value: ParsedRecord<T> }
  | { readonly ok: false; readonly problems: readonly LineProblem[] };

/** Reads one line of NDJSON; says everything that is wrong with it at once. */
export const parseRecord = <T>(schema: z.ZodType<ParsedRecord<T>>, text: string): ParsedLine<T> => {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return refused({ field: null, message: 'the line is not JSON' });
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return refused({ field: null, message: 'the line must be a JSON object' });
  }
  const isRemoval = 'deleted' in value && value.deleted === true;
  const result = (isRemoval ? removedRecord : schema).safeParse(value);
  if (result.success) return { ok: true, value: result.data };
  return refused(...result.error.issues.flatMap(toProblems));
};

const refused = (...problems: readonly LineProblem[]) => ({ ok: false, problems }) as const;

const toProblems = (issue: z.core.$ZodIssue): readonly LineProblem[] =>
  issue.code === 'unrecognized_keys'
    ? issue.keys.map((key) => ({ field: shown(key), message: 'is not a field of this record' }))
    : [{ field: shown(issue.path.map(String).join('.')), message: issue.message }];

/** A key is the sender's text: it is shown, but not at any length, and without what a terminal would take for an order. */
const shown = (field: string) =>
  (field.length > 80 ? `${field.slice(0, 79)}…` : field).replace(/[\p{C}\p{Zl}\p{Zp}]/gu, '?');
