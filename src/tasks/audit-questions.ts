import { z } from 'zod';
import { parseTime, parseTimeUntil } from '../audit/timeline/parse-time.ts';
import { parsePosition } from '../audit/timeline/position-text.ts';
import { type About, aboutKinds } from '../domain/event-subjects.ts';
import { eventDescriptions, type EventType } from '../domain/events.ts';
import { recordsInWords } from '../domain/records/each-record.ts';
import { isStreamName } from '../eventstore/codec/validate.ts';
import { comparePositions, type Position } from '../eventstore/event-store.ts';
import { readInput, reference, text, type InputProblem } from './fields.ts';

/** What auditors ask, on the command line and over its API: the parameters of each question, as text. */

const described = (description: string, allowed: string) => ({ description, 'x-allowed': allowed });

/** What was read, where a text may be read; the second check of a schema that has refused the others. */
export const readBy = <Value>(read: (text: string) => Value | null, sent = z.string()) =>
  sent.refine((text) => read(text) !== null).transform((text) => read(text) as Value);

const parsed = <Value>(read: (text: string) => Value | null, description: string, allowed: string) =>
  readBy(read, z.string().max(512)).meta(described(description, allowed));

const timeWords = 'a time such as 2026-05-03T16:20:05Z (RFC 3339), or a date, which is meant in UTC';
const time = (description: string) => parsed(parseTime, description, timeWords);
/** A date means its last moment; today means the time until now. */
export const anEndOfTime = (sent: string): number | null => parseTimeUntil(sent, Date.now());
const until = (description: string) => parsed(anEndOfTime, description, timeWords);
const position = (description: string) =>
  parsed(parsePosition, description, 'a position in the log, as commit/prepare: 4711/4711');
const whole = (description: string, least: number, most: number) =>
  parsed(
    (sent) => (/^\d{1,9}$/.test(sent) && Number(sent) >= least && Number(sent) <= most ? Number(sent) : null),
    description,
    `a whole number from ${least} to ${most}`,
  );
const wholeOf64Bits = (sent: string): bigint | null => {
  const number = /^(?:0|[1-9]\d{0,18})$/.test(sent) ? BigInt(sent) : null;
  return number !== null && number < 2n ** 63n ? number : null;
};
const revision = (description: string) =>
  parsed(wholeOf64Bits, description, 'a revision: a whole number from 0 to 2^63−1');

const organization = (description: string) =>
  reference({ title: 'Organization', description }, 'organization');
const addon = (description: string) => reference({ title: 'Add-on', description }, 'addon');

const anEventType = (sent: string): EventType | null =>
  Object.hasOwn(eventDescriptions, sent) ? (sent as EventType) : null;

export const anEnd = (sent: string): Position | 'end' | null => (sent === 'end' ? sent : parsePosition(sent));

type Place = { readonly revision: bigint } | { readonly position: Position } | { readonly time: number };

const aPlace = (sent: string): Place | null => {
  const at = { revision: wholeOf64Bits(sent), position: parsePosition(sent) };
  if (at.revision !== null) return { revision: at.revision };
  if (at.position !== null) return { position: at.position };
  const end = anEndOfTime(sent);
  return end === null ? null : { time: end };
};

/** The query is recorded with all its parameters, and the record has a maximum length. */
const mostTypes = 8;

export const auditQuestions = {
  timeline: z.object({
    organization: organization('what happened to this organization').optional(),
    addon: addon('what happened to this add-on').optional(),
    user: reference({ title: 'User', description: 'what happened to this user' }, 'user').optional(),
    grant: text({ title: 'Grant', description: 'what happened to this grant_id' }).optional(),
    from: time('only from this time on').optional(),
    to: until('only up to this time (not in the future)').optional(),
    type: z
      .array(parsed(anEventType, '', ''))
      .min(1)
      .max(mostTypes)
      .meta(
        described(
          'only events of these types; without it, what happened to something is without AuditQueried (searches)',
          `at most ${mostTypes} event types of docs/reference/events.md, such as GrantRevoked`,
        ),
      )
      .optional(),
    actor: text({ title: 'Actor', description: '' }, 320)
      .meta(
        described(
          'only acts of this actor; without other filters: all acts of a user',
          'a user (an id, or an e-mail address), break-glass, operator, or addon: with an add-on',
        ),
      )
      .optional(),
    after: position('only events after this position').optional(),
    before: parsed(
      anEnd,
      'the last events before this position, or before the end',
      'a position, as commit/prepare: 4711/4711, or end',
    ).optional(),
    limit: whole('maximum number of events; 50 by default', 1, 1000).optional(),
    records: z
      .enum(['true', 'false'])
      .meta(described(`an organization's ${recordsInWords} too`, 'true or false'))
      .optional(),
  }),
  replay: z.object({
    stream: parsed(
      (sent) => (isStreamName(sent) ? sent : null),
      'name of the stream, as shown in timelines',
      'the name of a stream, such as grant-01JD…',
    ),
    until: parsed(
      aPlace,
      'the last event: a revision, a position or a past time',
      'a revision such as 3, a position such as 4711/4711, or a time such as 2026-05-03T16:20:05Z',
    ).optional(),
    from: revision('show only from this revision on').optional(),
    limit: whole('maximum number of events; 100 by default', 1, 1000).optional(),
  }),
  'as-of': z.object({
    organization: organization('the organization'),
    at: until("a past time of the log's clock").optional(),
    position: position('or the position of an event in the log').optional(),
    limit: whole('maximum number of grants; 1000 by default', 1, 10_000).optional(),
    skip: whole('skip this many grants (next page)', 0, 999_999_999).optional(),
  }),
  exposure: z.object({
    organization: organization('the organization'),
    addon: addon('the add-on'),
    from: time("start time, by the log's clock"),
    to: until('end time, not in the future'),
    limit: whole(
      'maximum number of intervals, tokens and hours of reads; 1000 by default',
      1,
      10_000,
    ).optional(),
    skip: whole('skip this many of each (next page)', 0, 999_999_999).optional(),
  }),
  deposits: z.object({
    limit: whole('maximum number of heads; 50 by default', 1, 1000).optional(),
    after: revision('next page: the `next` of the previous output').optional(),
  }),
  head: z.object({}),
  export: z.object({
    organization: organization('the organization'),
    from: position('first position, as commit/prepare').optional(),
    until: position('last position').optional(),
    head_size: whole(
      'with `head_root`: proves that the events are in the log of this head',
      1,
      999_999_999,
    ).optional(),
    head_root: z
      .string()
      .regex(/^[0-9a-f]{64}$/)
      .meta(described('the root of that head', 'a SHA-256 hash in hexadecimal'))
      .optional(),
  }),
} as const;

export type AuditQuestion = keyof typeof auditQuestions;
export type Asked<Question extends AuditQuestion> = z.infer<(typeof auditQuestions)[Question]>;
/** As they are sent: absent ones are undefined. */
export type Parameters = Readonly<Record<string, string | readonly string[] | undefined>>;

export const auditSummaries: Readonly<Record<AuditQuestion, string>> = {
  timeline: 'List events in order, in plain words',
  replay: 'Replay a stream, with the state after each event',
  'as-of': 'Show who could read what at a given time, computed from the log',
  exposure: 'Show what an add-on could read of an organization in a period',
  deposits: 'List deposited heads of the log, newest first, and pending ones',
  head: 'Show the newest signed head of the log, for storage outside',
  export: 'Export all events of an organization into a verifiable file',
};

/** What a timeline is about: all acts of one actor, or what happened to one thing; null where the question does not say. */
export const aboutOf = (asked: Asked<'timeline'>): About | null => {
  const [about, ...others] = aboutKinds.flatMap((kind): readonly About[] => {
    const id = asked[kind];
    return id === undefined ? [] : [{ kind, id }];
  });
  if (about === undefined) return asked.actor === undefined ? null : { kind: 'user', id: asked.actor };
  return others.length === 0 ? about : null;
};

/** Why parameters that are right alone are not right together; null where they are. */
const together: { readonly [Question in AuditQuestion]?: (asked: Asked<Question>) => string | null } = {
  timeline: (asked) => {
    const about = aboutOf(asked);
    if (about === null) return 'exactly one of --organization, --addon, --user and --grant is required';
    if (asked.after !== undefined && asked.before !== undefined)
      return '--after and --before cannot both be given';
    if (asked.from !== undefined && asked.to !== undefined && asked.from > asked.to)
      return '--from is later than --to';
    return asked.records === 'true' && about.kind !== 'organization'
      ? '--records needs --organization'
      : null;
  },
  replay: ({ from, until: end }) =>
    end && 'revision' in end && from !== undefined && from > end.revision ? '--from is after --until' : null,
  'as-of': ({ at, position: place }) =>
    (at === undefined) === (place === undefined) ? 'exactly one of --at and --position is required' : null,
  exposure: ({ from, to }) => (from > to ? '--from is later than --to' : null),
  export: ({ from, until: end }) =>
    from && end && comparePositions(from, end) > 0 ? '--from is after --until' : null,
};

/** Reads the parameters of a question, or says what is wrong with them. @param nameOf how a parameter is called there */
export const readQuestion = <Question extends AuditQuestion>(
  question: Question,
  parameters: Parameters,
  nameOf: (problem: InputProblem) => string = ({ field }) => field,
): { readonly value: Asked<Question> } | { readonly wrong: string } => {
  const given = Object.fromEntries(Object.entries(parameters).filter(([, value]) => value !== undefined));
  const input = readInput(auditQuestions[question], given);
  if (!input.ok)
    return {
      wrong: input.problems.map((one) => `${nameOf(one)} is invalid. Allowed is ${one.allowed}.`).join(' '),
    };
  const value = input.value as Asked<Question>;
  // Each is checked with what its own parameters were read as.
  const wrong = (together[question] as ((asked: Asked<Question>) => string | null) | undefined)?.(value);
  return wrong === undefined || wrong === null ? { value } : { wrong };
};

export type AuditAnswered =
  | { readonly ok: true; readonly json: Readonly<Record<string, unknown>> }
  | {
      readonly ok: false;
      readonly code: string;
      readonly message: string;
      /** It is an error of usage: nothing can be answered about such parameters. */
      readonly isMisuse: boolean;
    };
