import { z } from 'zod';
import { parseTime, parseTimeUntil } from '../audit/timeline/parse-time.ts';
import { parsePosition } from '../audit/timeline/position-text.ts';
import { eventDescriptions, type EventType } from '../domain/events.ts';
import type { Position } from '../eventstore/event-store.ts';

/** What auditors ask, on the command line and over its API: the parameters of each question, as text. */

const described = (description: string, allowed: string) => ({ description, 'x-allowed': allowed });

/** What was read, where a text may be read; the second check of a schema that has refused the others. */
const parsed = <Value>(read: (text: string) => Value | null, description: string, allowed: string) =>
  z
    .string()
    .max(256)
    .refine((text) => read(text) !== null)
    .transform((text) => read(text) as Value)
    .meta(described(description, allowed));

/** Anything that was meant as an id: one that is malformed is answered like an unknown one. */
const id = (description: string) => z.string().min(1).max(200).meta(described(description, 'an id'));

const timeWords = 'a time such as 2026-05-03T16:20:05Z (RFC 3339), or a date, which is meant in UTC';
const time = (description: string) => parsed(parseTime, description, timeWords);
const until = (description: string) =>
  parsed((text) => parseTimeUntil(text, Date.now()), description, timeWords);
const position = (description: string) =>
  parsed(parsePosition, description, 'a position in the log, as commit/prepare: 4711/4711');
const whole = (description: string, least: number, most: number) =>
  parsed(
    (text) => (/^\d{1,9}$/.test(text) && Number(text) >= least && Number(text) <= most ? Number(text) : null),
    description,
    `a whole number from ${least} to ${most}`,
  );
const wholeOf64Bits = (text: string): bigint | null => {
  const number = /^(?:0|[1-9]\d{0,18})$/.test(text) ? BigInt(text) : null;
  return number !== null && number < 2n ** 63n ? number : null;
};
const revision = (description: string) =>
  parsed(wholeOf64Bits, description, 'a whole number from 0 to 2^63−1');

const subject = {
  organization: id('What happened to this organization_id.').optional(),
  addon: id('What happened to this client_id.').optional(),
  user: id('What happened to this user_id.').optional(),
  grant: id('What happened to this grant.').optional(),
};

const anEventType = (text: string): EventType | null =>
  Object.hasOwn(eventDescriptions, text) ? (text as EventType) : null;

const anEnd = (text: string): Position | 'end' | null => (text === 'end' ? text : parsePosition(text));

export const auditQuestions = {
  timeline: z.object({
    ...subject,
    from: time('Only from this time on.').optional(),
    to: until('Only up to this time.').optional(),
    type: z
      .array(parsed(anEventType, '', ''))
      .min(1)
      .max(8)
      .meta(described('Only events of these types.', 'types of events, such as GrantRevoked'))
      .optional(),
    actor: z
      .string()
      .regex(/^(?:addon:)?[A-Za-z0-9_-]{1,64}$/)
      .meta(
        described(
          'Only acts of this actor; without other filters: all acts of a user.',
          'a user id, break-glass, operator, or addon: with a client_id',
        ),
      )
      .optional(),
    after: position('Only events after this position.').optional(),
    before: parsed(
      anEnd,
      'The last events before this position, or before the end.',
      'a position, or end',
    ).optional(),
    limit: whole('The maximum number of events; 50 by default.', 1, 1000).optional(),
    records: z
      .enum(['true', 'false'])
      .meta(described('The records of an organization, too.', 'true or false'))
      .optional(),
  }),
  replay: z.object({
    stream: z
      .string()
      .min(1)
      .max(512)
      .meta(described('The stream.', 'the name of a stream, such as grant-01JD…')),
    until_revision: revision('The last event, by its revision.').optional(),
    until_position: position('The last event, by its position.').optional(),
    until_time: until('The last event, by its time.').optional(),
    from: revision('Only from this revision on.').optional(),
    limit: whole('The maximum number of events; 100 by default.', 1, 1000).optional(),
  }),
  'as-of': z.object({
    organization: id('The organization_id.'),
    at: until('A time in the past.').optional(),
    position: position('Or the position of an event.').optional(),
    limit: whole('The maximum number of grants; 1000 by default.', 1, 10_000).optional(),
    skip: whole('How many are left out.', 0, 999_999_999).optional(),
  }),
  exposure: z.object({
    organization: id('The organization_id.'),
    addon: id('The client_id.'),
    from: time('The start.'),
    to: until('The end.'),
    limit: whole('The maximum number of each; 1000 by default.', 1, 10_000).optional(),
    skip: whole('How many of each are left out.', 0, 999_999_999).optional(),
  }),
  deposits: z.object({
    limit: whole('The maximum number of heads; 50 by default.', 1, 1000).optional(),
    after: revision('The `next` of the previous answer.').optional(),
  }),
  head: z.object({}),
  export: z.object({
    organization: id('The organization_id.'),
    from: position('The first position.').optional(),
    until: position('The last position.').optional(),
    head_size: whole(
      'With `head_root`: proves that the events are in the log of this head.',
      1,
      999_999_999,
    ).optional(),
    head_root: z
      .string()
      .regex(/^[0-9a-f]{64}$/)
      .meta(described('The root of that head.', 'a SHA-256 hash in hexadecimal'))
      .optional(),
  }),
} as const;

export type AuditQuestion = keyof typeof auditQuestions;
/** The parameters of a question, read. */
export type Asked<Question extends AuditQuestion> = z.infer<(typeof auditQuestions)[Question]>;
/** As they are sent: absent ones are undefined. */
export type Parameters = Readonly<Record<string, string | readonly string[] | undefined>>;

export type AuditAnswered =
  | { readonly ok: true; readonly json: Readonly<Record<string, unknown>> }
  | {
      readonly ok: false;
      readonly code: string;
      readonly message: string;
      /** It is an error of usage: nothing can be answered about such parameters. */
      readonly isMisuse: boolean;
    };
