import type { z } from 'zod';

/**
 * Reads data with a strict schema, but leaves out what the next version may add to an event without a new version of it
 * (ADR 77): fields, and values of lists, such as a scope. Everything else has to match.
 */
export const readLeavingOutUnknown = (schema: z.ZodType, data: unknown): z.ZodSafeParseResult<unknown> => {
  const read = schema.safeParse(data);
  if (read.success || !read.error.issues.every(isAddition)) return read;
  const known: unknown = structuredClone(data);
  // Backwards, so that the indexes of a list stay right.
  for (const issue of read.error.issues.toReversed()) leaveOut(known, issue);
  return schema.safeParse(known);
};

type Issue = z.core.$ZodIssue;

const isAddition = ({ code, path }: Issue): boolean =>
  code === 'unrecognized_keys' || (code === 'invalid_value' && typeof path.at(-1) === 'number');

const leaveOut = (data: unknown, issue: Issue): void => {
  if (issue.code === 'unrecognized_keys')
    for (const key of issue.keys) Reflect.deleteProperty(partAt(data, issue.path) as object, key);
  else (partAt(data, issue.path.slice(0, -1)) as unknown[]).splice(Number(issue.path.at(-1)), 1);
};

const partAt = (data: unknown, path: readonly PropertyKey[]): unknown =>
  path.reduce((part, key) => (part as Record<PropertyKey, unknown>)[key], data);
