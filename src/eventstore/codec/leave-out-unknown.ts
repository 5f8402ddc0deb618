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

const isAddition = (issue: Issue): boolean =>
  issue.code === 'unrecognized_keys' || (issue.code === 'invalid_value' && isIndex(issue.path.at(-1)));

const isIndex = (key: PropertyKey | undefined): key is number => typeof key === 'number';

const leaveOut = (data: unknown, issue: Issue): void => {
  const last = issue.path.at(-1);
  const isInList = issue.code !== 'unrecognized_keys' && isIndex(last);
  const path = isInList ? issue.path.slice(0, -1) : issue.path;
  const place = path.reduce<unknown>((at, key) => (at as Record<PropertyKey, unknown>)[key], data);
  if (isInList) (place as unknown[]).splice(last, 1);
  else if (issue.code === 'unrecognized_keys')
    for (const key of issue.keys) Reflect.deleteProperty(place as object, key);
};
