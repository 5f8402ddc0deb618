import { printable } from '../../tasks/fields.ts';
import { pageQuery } from '../contracts/list-page.ts';
import { namesOf } from '../contracts/parameters.ts';
import type { ParameterError } from '../contracts/problem.ts';
import type { Params } from '../requests/params.ts';
import type { Cursor, Cursors, DecryptedCursor } from './cursor.ts';
import { syncTokenOf, type SyncToken } from './sync-token.ts';
import { hash } from 'node:crypto';
import type { GrantSubject } from '../../domain/access/grant.ts';
import type { ListPlace } from '../../projections/read-models.ts';

/** The requested position in a list. `perPageSent` decides whether links repeat `per_page` (LI-03). */
export type PageParameters = {
  readonly page: number;
  readonly perPage: number;
  readonly perPageSent: boolean;
  /** The contents of the cursor, if one was sent and can be read. */
  readonly cursor: Cursor | null;
  /** Where changes are asked for instead of the list. */
  readonly syncToken?: SyncToken;
};

type Read =
  | { readonly ok: true; readonly value: PageParameters }
  | { readonly ok: false; readonly errors: readonly ParameterError[] };

const { page, per_page: perPage } = pageQuery.shape;
const known = namesOf(pageQuery).join(', ');
/** An address has room for thousands of wrong names; nobody reads more errors than these. */
const mostErrors = 20;

/** Strict on purpose (LI-06): a guess would change the meaning of "page 2". @returns the first 20 errors, or the parameters */
export const readPageParameters = (query: Params, cursors: Pick<Cursors, 'decrypt'>): Read => {
  const sent = query.get('cursor');
  const opened = sent?.length === 1 && sent[0] ? cursors.decrypt(sent[0]) : null;
  const sync = readSyncToken(query.get('sync_token'), cursors);
  const errors: ParameterError[] = [];
  for (const [name, values] of query) {
    const problem =
      name === 'cursor'
        ? cursorProblem(values, opened)
        : name === 'sync_token'
          ? sync.problem
          : problemOf(name, values);
    if (problem) errors.push(problem);
    if (errors.length === mostErrors) break;
  }
  if (errors.length > 0) return { ok: false, errors };
  const number = (name: string) => {
    const text = query.get(name)?.[0];
    return text === undefined ? undefined : Number(text);
  };
  return {
    ok: true,
    value: {
      page: page.parse(number('page')),
      perPage: perPage.parse(number('per_page')),
      perPageSent: query.has('per_page'),
      cursor: opened?.kind === 'ours' ? opened.cursor : null,
      ...(sync.token && { syncToken: sync.token }),
    },
  };
};

const cursorProblem = (values: readonly string[], opened: DecryptedCursor | null): ParameterError | null => {
  const problem = (code: ParameterError['code']) => ({
    parameter: 'cursor',
    code,
    allowed: 'the cursor of a link, as it was',
  });
  if (values.length > 1) return problem('repeated');
  if (!opened) return problem('empty');
  return opened.kind === 'malformed' || opened.kind === 'forged' ? problem(opened.kind) : null;
};

/** One of a key that is not known may be of another installation: it is refused like a forged one. */
const readSyncToken = (
  values: readonly string[] | undefined,
  cursors: Pick<Cursors, 'decrypt'>,
): { readonly token?: SyncToken; readonly problem: ParameterError | null } => {
  if (!values) return { problem: null };
  if (values.length > 1) return { problem: syncTokenProblem('repeated') };
  const [text = ''] = values;
  if (text === '') return { problem: syncTokenProblem('empty') };
  const opened = cursors.decrypt(text);
  if (opened.kind === 'malformed') return { problem: syncTokenProblem('malformed') };
  const token = opened.kind === 'ours' ? syncTokenOf(text, opened.cursor) : null;
  return token ? { token, problem: null } : { problem: syncTokenProblem('forged') };
};

export const syncTokenProblem = (code: ParameterError['code']): ParameterError => ({
  parameter: 'sync_token',
  code,
  allowed:
    'the sync_token of a page of this list, for the same organization or user and add-on, since its last activation or approval',
});

const problemOf = (name: string, values: readonly string[]): ParameterError | null => {
  const schema = name === 'page' ? page : name === 'per_page' ? perPage : null;
  if (!schema) return unknownParameter(name, known);
  const { minValue, maxValue } = schema.unwrap();
  const allowed = `a whole number from ${minValue} to ${maxValue}`;
  const problem = (code: ParameterError['code']) => ({ parameter: name, code, allowed });
  const [value = ''] = values;
  if (values.length > 1) return problem('repeated');
  if (value === '') return problem('empty');
  if (!/^(0|-?[1-9]\d*)$/.test(value)) return problem('not-an-integer');
  return schema.safeParse(Number(value)).success ? null : problem('out-of-range');
};

/** The errors of a query where no parameter is allowed. */
export const refuseParameters = (query: Params): readonly ParameterError[] =>
  [...query.keys()].slice(0, mostErrors).map((name) => unknownParameter(name, 'no parameter'));

const unknownParameter = (name: string, allowed: string): ParameterError => ({
  parameter: printable(name),
  code: 'unknown',
  allowed,
});

/** A number that identifies each list: the kind of records and the subject. */
export const listId = (address: string, subject: GrantSubject): bigint => {
  const owner = subject.kind === 'organization' ? subject.organizationId : subject.userId;
  return Buffer.from(hash('sha256', `${address} ${subject.kind} ${owner}`, 'hex'), 'hex').readBigUInt64BE();
};

/** `page` is authoritative: a cursor only locates it, if it was made for this page of this list. */
export const placeOf = ({ page, perPage, cursor }: PageParameters, list: bigint): ListPlace =>
  cursor && cursor.page === page && cursor.perPage === perPage && cursor.list === list
    ? { by: cursor.direction, position: cursor.position, bound: cursor.bound }
    : { by: 'page', page };
