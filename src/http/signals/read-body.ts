import type { z } from 'zod';
import type { ParameterError } from '../contracts/problem.ts';
import { streamAllows } from '../contracts/signal-streams.ts';

export type ReadBody<T> =
  | { readonly ok: true; readonly value: T }
  /** No error names a member where the body is no object. */
  | { readonly ok: false; readonly errors: readonly ParameterError[] };

/**
 * Reads a JSON body; none is one without members. Errors name members with what they accept, and never repeat a value.
 */
export const readBody = <T>(form: z.ZodType<T>, body: unknown = {}): ReadBody<T> => {
  const read = form.safeParse(body);
  if (read.success) return { ok: true, value: read.data };
  const wrong = read.error.issues.map(({ path }) =>
    path.filter((part) => typeof part === 'string').join('.'),
  );
  const errors = [...new Set(wrong)].flatMap((parameter): readonly ParameterError[] => {
    const allowed = streamAllows[parameter];
    return allowed === undefined ? [] : [{ parameter, code: 'malformed', allowed }];
  });
  return { ok: false, errors };
};
