import { z } from 'zod';
import * as ids from '../../domain/kernel/ids.ts';

/** Fields of records. Messages end a sentence that begins with the field's name and never repeat what was sent: it is personal. */
const said = (allowed: string) => ({
  error: ({ input }: { readonly input?: unknown }) =>
    input === undefined ? 'is missing' : `must be ${allowed}`,
});

const idOf = ({ pattern, allowed }: typeof ids.recordId) => {
  const message = said(`a string of ${allowed}`);
  return z.string(message).regex(new RegExp(pattern), message);
};

export const recordId = idOf(ids.recordId);
/** Of an organization or a user. */
export const ownId = idOf(ids.ownId);

/** Above 2^53 − 1, a JSON number no longer identifies one version. */
export const version = z
  .int(said('a whole number from 1 to 9007199254740991'))
  .min(1, said('a whole number from 1 to 9007199254740991'));

/** Neither the log nor the database can store NUL, half a surrogate pair or other control characters faithfully. */
const unkeepable = /\p{Surrogate}|(?![\t\n\r])\p{Control}/u;

/** What JSON Schema can express about a field is in its `meta`: the document for senders of records shows it. */
export const text = (maxLength: number) => {
  const message = said(`a text of 1 to ${maxLength} characters without control characters`);
  const isText = (value: string) =>
    value.length <= maxLength && value.trim() !== '' && !unkeepable.test(value);
  return z.string(message).refine(isText, message).meta({ minLength: 1, maxLength });
};

export const email = text(254).regex(/^[^\s@]+@[^\s@]+$/, said('an e-mail address such as name@example.com'));

export const languageTag = z
  .string(said('a language tag such as en or de-AT'))
  .regex(/^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8}){0,4}$/, said('a language tag such as en or de-AT'));

export const status = <const S extends readonly string[]>(allowed: S) =>
  z.enum(allowed, said(`one of ${allowed.join(', ')}`));

/** An optional field: absent and null mean the same. */
export const optional = <S extends z.ZodType>(schema: S) =>
  schema.nullish().transform((value) => value ?? null);

const timeAllowed = 'an RFC 3339 time such as 2026-05-01T09:00:00Z or 2026-05-01T11:00:00+02:00';

/** Accepts RFC 3339 with any offset, returns UTC with `Z`; fractions below a millisecond are cut off. */
export const time = z
  .string(said(timeAllowed))
  .meta({ format: 'date-time' })
  .transform((value, context) => {
    const utc = asItIs(value) ?? toUtc(value);
    if (utc !== null) return utc;
    context.addIssue({ code: 'custom', message: `must be ${timeAllowed}` });
    return z.NEVER;
  });

/** A fast path: most times are in UTC already. If formatting the parsed time gives the same text, it is valid. */
const asItIs = (value: string): string | null => {
  const ms = Date.parse(value);
  if (Number.isNaN(ms) || value.length > 24 || value.startsWith('0000')) return null;
  const written = new Date(ms).toISOString();
  const short = written.replace('.000Z', 'Z');
  return value === written || value === short ? short : null;
};

const rfc3339 =
  /^(\d{4}-(?:0[1-9]|1[0-2])-(\d{2}))[Tt]((?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d)(\.\d{1,12})?(?:[Zz]|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/;

const toUtc = (value: string): string | null => {
  const parts = rfc3339.exec(value);
  if (parts === null) return null;
  const [, date = '', day] = parts;
  // JavaScript reads 30 February as 2 March: the calendar day must stay the same.
  const midnight = new Date(`${date}T00:00:00Z`);
  if (Number.isNaN(midnight.getTime()) || midnight.getUTCDate() !== Number(day)) return null;
  const instant = new Date(value.toUpperCase());
  const year = instant.getUTCFullYear();
  if (Number.isNaN(instant.getTime()) || year < 1 || year > 9999) return null;
  return instant.toISOString().replace('.000Z', 'Z');
};

/** Both as returned by `time`. */
export const isAfter = (later: string, earlier: string) => Date.parse(later) > Date.parse(earlier);
