import type { z } from 'zod';
import type { TimeProblem } from '../../audit/timeline/time-in-log.ts';
import { english, type Words } from '../../common/words.ts';
import type { About } from '../../domain/event-subjects.ts';
import { printable, readInput } from '../../tasks/fields.ts';
import { formQuery, timelineQuery } from '../contracts/audit.ts';
import type { ParameterError } from '../contracts/problem.ts';
import type { Params } from '../requests/params.ts';
import { plainQuery } from '../tasks/plain-query.ts';

const questions = timelineQuery.partial().extend(formQuery.shape);

export type Question = z.infer<typeof questions>;
export type QuestionName = keyof Question;

export type ReadQuestion =
  | {
      readonly ok: true;
      readonly question: Question;
      /** The query as it was sent: only ids, times, positions and counts. */
      readonly sent: Readonly<Record<string, string>>;
    }
  | { readonly ok: false; readonly errors: readonly ParameterError[] };

type Allowed = Words['auditLog']['allowed'];

/**
 * Strict: a guess would change what the answer means. @param names parameters that are allowed here @param ofForm a form sends empty fields;
 * they count as not given @param allowed what to say of a value that is not allowed; in English for programs
 */
export const readQuestion = (
  query: Params,
  names: readonly QuestionName[],
  {
    ofForm = false,
    besides = [],
    allowed = english.auditLog.allowed,
  }: { readonly ofForm?: boolean; readonly besides?: readonly string[]; readonly allowed?: Allowed } = {},
): ReadQuestion => {
  const picked: Partial<Record<QuestionName, true>> = Object.fromEntries(names.map((name) => [name, true]));
  const asked = questions.pick(picked as Record<QuestionName, true>);
  const isKnown = (name: string): name is QuestionName => names.some((known) => known === name);
  const mine = [...query].filter(([name]) => !besides.includes(name));
  const given = mine.filter(([name, values]) => isKnown(name) && values.length === 1 && values[0] !== '');
  const wrong = mine.flatMap(([name, values]): readonly ParameterError[] => {
    if (!isKnown(name))
      return [{ parameter: printable(name), code: 'unknown', allowed: [...besides, ...names].join(', ') }];
    if (values.length === 1 && (ofForm || values[0] !== '')) return [];
    return [{ parameter: name, code: values.length > 1 ? 'repeated' : 'empty', allowed: allowed[name] }];
  });
  const read = readInput(asked, plainQuery(asked, new Map(given)));
  const problems = read.ok ? [] : read.problems;
  const errors = [
    ...wrong,
    ...problems.map(({ field, code }): ParameterError => ({
      parameter: field,
      code,
      allowed: allowed[field as QuestionName],
    })),
  ];
  if (!read.ok || errors.length > 0) return { ok: false, errors: errors.slice(0, 20) };
  const question = read.value as Question; // picked from its fields
  const together = notTogether(question, allowed);
  return together.length > 0
    ? { ok: false, errors: together }
    : { ok: true, question, sent: Object.fromEntries(given.map(([name, [text = '']]) => [name, text])) };
};

const notTogether = ({ from, to, after, before }: Question, allowed: Allowed): readonly ParameterError[] => [
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

/** The add-on, user and grant that each event must be about. */
export const concerningIn = ({ addon, user, grant }: Question): readonly About[] => [
  ...(grant === undefined ? [] : [{ kind: 'grant', id: grant } as const]),
  ...(user === undefined ? [] : [{ kind: 'user', id: user } as const]),
  ...(addon === undefined ? [] : [{ kind: 'addon', id: addon } as const]),
];
