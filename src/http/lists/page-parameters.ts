import { pageQuery } from '../contracts/list-page.ts';
import { namesOf } from '../contracts/parameters.ts';
import type { ParameterError } from '../contracts/problem.ts';
import type { Params } from '../params.ts';

/** Where in a list, as asked for. `perPageSent` decides whether links carry it on (LI-03). */
export type PageParameters = {
  readonly page: number;
  readonly perPage: number;
  readonly perPageSent: boolean;
};

const { page, per_page: perPage } = pageQuery.shape;
const known = namesOf(pageQuery).join(', ');

/**
 * Strict on purpose (LI-06): a clamp or a guess would silently change what "page 2" means.
 * @returns every error at once, or the parameters
 */
export const readPageParameters = (
  query: Params,
):
  | { readonly ok: true; readonly value: PageParameters }
  | { readonly ok: false; readonly errors: readonly ParameterError[] } => {
  const errors = [...query].flatMap(([name, values]) => problemOf(name, values) ?? []);
  if (errors.length > 0) return { ok: false, errors };
  const perPageSent = query.has('per_page');
  const number = (name: string) => {
    const sent = query.get(name)?.[0];
    return sent === undefined ? undefined : Number(sent);
  };
  return {
    ok: true,
    value: { page: page.parse(number('page')), perPage: perPage.parse(number('per_page')), perPageSent },
  };
};

const problemOf = (name: string, values: readonly string[]): ParameterError | null => {
  const schema = name === 'page' ? page : name === 'per_page' ? perPage : null;
  if (!schema) return { parameter: printable(name), code: 'unknown', allowed: known };
  const { minValue, maxValue } = schema.unwrap();
  const allowed = `a whole number from ${minValue} to ${maxValue}`;
  const problem = (code: ParameterError['code']) => ({ parameter: name, code, allowed });
  const [value = ''] = values;
  if (values.length > 1) return problem('repeated');
  if (value === '') return problem('empty');
  if (!/^(0|-?[1-9]\d*)$/.test(value)) return problem('not-an-integer');
  return schema.safeParse(Number(value)).success ? null : problem('out-of-range');
};

/** The name of an unknown parameter is not ours: short and harmless in logs and terminals. */
const printable = (name: string): string => name.replace(/[^\x21-\x7e]/g, '?').slice(0, 64);
