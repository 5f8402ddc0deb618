import { parseTime, parseTimeUntil } from '../../audit/timeline/parse-time.ts';
import { parsePosition } from '../../audit/timeline/position-text.ts';
import type { TimeProblem } from '../../audit/timeline/time-in-log.ts';
import type { About } from '../../domain/event-subjects.ts';
import { type EventType, typesWithSubjects } from '../../domain/events.ts';
import { isUlid } from '../../domain/kernel/ids.ts';
import type { Position } from '../../eventstore/event-store.ts';
import { mostPerPage } from '../contracts/audit.ts';
import type { ParameterError } from '../contracts/problem.ts';
import type { Params } from '../requests/params.ts';
import { english, type Words } from '../../common/words.ts';

export type Question = {
  readonly addon?: string;
  readonly user?: string;
  readonly grant?: string;
  readonly type?: EventType;
  readonly actor?: string;
  readonly from?: number;
  readonly to?: number;
  readonly limit?: number;
  readonly days?: number;
  readonly after_grant?: string;
  readonly after?: Position;
  readonly before?: Position | 'end';
};

export type QuestionName = keyof Question;

export type ReadQuestion =
  | {
      readonly ok: true;
      readonly question: Question;
      /** The query as it was sent: only ids, times, positions and counts. */
      readonly sent: Readonly<Record<string, string>>;
    }
  | { readonly ok: false; readonly errors: readonly ParameterError[] };

/** Undefined for a value that is not allowed. */
type Read = (text: string, now: number) => unknown;

const id: Read = (text) => (isUlid(text) ? text : undefined);

const readers: Readonly<Record<QuestionName, Read>> = {
  addon: id,
  user: id,
  grant: id,
  type: (text) => typesWithSubjects.find((type) => type === text),
  actor: (text) => (/^(?:addon:)?[A-Za-z0-9_-]{1,64}$/.test(text) ? text : undefined),
  from: (text) => parseTime(text) ?? undefined,
  to: (text, now) => parseTimeUntil(text, now) ?? undefined,
  limit: (text) => (/^[1-9]\d{0,6}$/.test(text) && Number(text) <= mostPerPage ? Number(text) : undefined),
  days: (text) => (/^(?:0|[1-9]\d{0,3})$/.test(text) && Number(text) <= 3650 ? Number(text) : undefined),
  after_grant: id,
  after: (text) => parsePosition(text) ?? undefined,
  before: (text) => (text === 'end' ? text : (parsePosition(text) ?? undefined)),
};

type Allowed = Words['auditLog']['allowed'];

/** An address has room for thousands of wrong names; nobody reads more errors than these. */
const mostErrors = 20;

/**
 * Strict: a guess would change what the answer means. @param names parameters that are allowed here @param now the upper limit where `to` is
 * today's date @param ofForm a form sends empty fields; they count as not given
 * @param allowed what to say of a value that is not allowed; in English for programs
 */
export const readQuestion = (
  query: Params,
  names: readonly QuestionName[],
  now: number,
  {
    ofForm = false,
    besides = [],
    allowed = english.auditLog.allowed,
  }: { readonly ofForm?: boolean; readonly besides?: readonly string[]; readonly allowed?: Allowed } = {},
): ReadQuestion => {
  const errors: ParameterError[] = [];
  const question: Record<string, unknown> = {};
  const sent: Record<string, string> = {};
  for (const [name, values] of query) {
    if (errors.length === mostErrors) break;
    const known = names.find((candidate) => candidate === name);
    if (!known) {
      if (!besides.includes(name))
        errors.push({
          parameter: printable(name),
          code: 'unknown',
          allowed: [...besides, ...names].join(', '),
        });
      continue;
    }
    const refuse = (code: ParameterError['code']) =>
      errors.push({ parameter: name, code, allowed: allowed[known] });
    const [text = ''] = values;
    if (values.length > 1) refuse('repeated');
    else if (text === '') {
      if (!ofForm) refuse('empty');
    } else {
      const value = readers[known](text, now);
      if (value === undefined) refuse('malformed');
      else {
        question[name] = value;
        sent[name] = text;
      }
    }
  }
  const read = question as Question; // each field by its own reader
  errors.push(...together(read, allowed));
  return errors.length > 0 ? { ok: false, errors } : { ok: true, question: read, sent };
};

const together = ({ from, to, after, before }: Question, allowed: Allowed): readonly ParameterError[] => [
  ...(from !== undefined && to !== undefined && from > to
    ? [{ parameter: 'to', code: 'out-of-range' as const, allowed: allowed.order }]
    : []),
  ...(after !== undefined && before !== undefined
    ? [{ parameter: 'before', code: 'malformed' as const, allowed: allowed.place }]
    : []),
];

/** Which times of a query the log cannot answer for; asked only for readers who may see the answer. */
export const timesNotThere = async (
  { from, to }: Question,
  timeProblem: (time: number) => Promise<TimeProblem | null>,
  allowedBy: (problem: TimeProblem) => string = ({ allowed }) => allowed,
): Promise<readonly ParameterError[]> => {
  const errors: ParameterError[] = [];
  for (const [parameter, time] of Object.entries({ from, to })) {
    const problem = time === undefined ? null : await timeProblem(time);
    if (problem) errors.push({ parameter, code: 'out-of-range', allowed: allowedBy(problem) });
  }
  return errors;
};

/** Unknown parameter names come from outside: shorten them and replace characters that could harm logs and terminals. */
const printable = (name: string): string => name.replace(/[^\x21-\x7e]/g, '?').slice(0, 64);

/** The add-on, user and grant that each event must be about. */
export const concerningIn = ({ addon, user, grant }: Question): readonly About[] => [
  ...(grant === undefined ? [] : [{ kind: 'grant', id: grant } as const]),
  ...(user === undefined ? [] : [{ kind: 'user', id: user } as const]),
  ...(addon === undefined ? [] : [{ kind: 'addon', id: addon } as const]),
];
