import { oneLine } from '../../common/one-line.ts';
import type { PollRequest } from '../../signals/poll.ts';
import { mostEnded, pollAllows, pollForm } from '../contracts/poll.ts';
import type { ParameterError } from '../contracts/problem.ts';

export type ReadPoll =
  | { readonly ok: true; readonly asked: Omit<PollRequest, 'streamId'> }
  /** No error names a member where the body is no object. */
  | { readonly ok: false; readonly errors: readonly ParameterError[] };

/** Reads the body of a poll (RFC 8936 §2.4); without a body every default holds. */
export const readPoll = (body: unknown = {}): ReadPoll => {
  if (hasTooManyErrors(body)) return wrong('setErrs'); // each is slow to check
  const read = pollForm.safeParse(body);
  if (!read.success) {
    const names = new Set(read.error.issues.map(({ path: [name] }) => name));
    return wrong(
      ...(Object.keys(pollAllows) as (keyof typeof pollAllows)[]).filter((name) => names.has(name)),
    );
  }
  const { maxEvents = null, returnImmediately = false, ack = [], setErrs = {} } = read.data;
  const errors = Object.entries(setErrs).map(([jti, { err, description = '' }]) => ({
    jti,
    error: `reported ${oneLine([err, description].filter((said) => said !== '').join(': '))}`,
  }));
  const endings = [...errors, ...ack.map((jti) => ({ jti, error: null }))];
  return { ok: true, asked: { maxEvents, returnImmediately, endings: endings.filter(isPossible) } };
};

const hasTooManyErrors = (body: unknown): boolean => {
  const errors: unknown = typeof body === 'object' && body !== null ? Reflect.get(body, 'setErrs') : null;
  return typeof errors === 'object' && errors !== null && Object.keys(errors).length > mostEnded;
};

const wrong = (...parameters: readonly (keyof typeof pollAllows)[]): ReadPoll => ({
  ok: false,
  errors: parameters.map((parameter) => ({ parameter, code: 'malformed', allowed: pollAllows[parameter] })),
});

/** No `jti` of ours has another character, and the database refuses some of them. */
const isPossible = ({ jti }: { readonly jti: string }): boolean => /^[\x21-\x7e]+$/.test(jti);
