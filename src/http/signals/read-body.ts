import type { FastifyReply } from 'fastify';
import type { z } from 'zod';
import { sendProblem } from '../answers/send-problem.ts';
import type { ParameterError } from '../contracts/problem.ts';

/** What each member of a body accepts, in words; members of objects by their path. */
export type Allows = Readonly<Record<string, string>>;

export type ReadBody<T> =
  | { readonly ok: true; readonly value: T }
  /** No error names a member where the body is no object. */
  | { readonly ok: false; readonly errors: readonly ParameterError[] };

/** Reads a JSON body; none is one without members. Errors name members with what they accept, and never repeat a value. */
export const readBody = <T>(form: z.ZodType<T>, allows: Allows, body: unknown = {}): ReadBody<T> => {
  const read = form.safeParse(body);
  if (read.success) return { ok: true, value: read.data };
  const wrong = read.error.issues.map(({ path }) => {
    const name = path.filter((part) => typeof part === 'string').join('.');
    return Object.hasOwn(allows, name) ? name : String(path[0]);
  });
  return { ok: false, errors: malformed(allows, ...new Set(wrong)) };
};

export const malformed = (allows: Allows, ...parameters: readonly string[]): readonly ParameterError[] =>
  parameters.flatMap((parameter) => {
    const allowed = allows[parameter];
    return allowed === undefined ? [] : [{ parameter, code: 'malformed', allowed }];
  });

export const refuseBody = (
  reply: FastifyReply,
  baseUrl: string,
  errors: readonly ParameterError[],
): FastifyReply =>
  errors.length > 0
    ? sendProblem(reply, baseUrl, 'invalid-parameters', { errors })
    : sendProblem(reply, baseUrl, 'malformed-request', { detail: 'The body is not a JSON object' });
