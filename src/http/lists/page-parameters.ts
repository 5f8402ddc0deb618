import type { Params } from '../params.ts';
import type { ParameterError } from '../problems.ts';

/** Where in a list, as asked for. `perPageSent` decides whether links carry it on (LI-03). */
export type PageParameters = {
  readonly page: number;
  readonly perPage: number;
  readonly perPageSent: boolean;
};

const defaultPerPage = 25;
const largest = { page: 2 ** 31 - 1, per_page: 100 } as const;
type Name = keyof typeof largest;

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
  const number = (name: Name, otherwise: number) => Number(query.get(name)?.[0] ?? otherwise);
  return {
    ok: true,
    value: { page: number('page', 1), perPage: number('per_page', defaultPerPage), perPageSent },
  };
};

const problemOf = (name: string, values: readonly string[]): ParameterError | null => {
  if (name !== 'page' && name !== 'per_page')
    return { parameter: printable(name), code: 'unknown', allowed: 'page, per_page' };
  const allowed = `a whole number from 1 to ${largest[name]}`;
  const problem = (code: ParameterError['code']) => ({ parameter: name, code, allowed });
  const [value = ''] = values;
  if (values.length > 1) return problem('repeated');
  if (value === '') return problem('empty');
  if (!/^(0|-?[1-9]\d*)$/.test(value)) return problem('not-an-integer');
  return Number(value) < 1 || Number(value) > largest[name] ? problem('out-of-range') : null;
};

/** The name of an unknown parameter is not ours: short and harmless in logs and terminals. */
const printable = (name: string): string => name.replace(/[^\x21-\x7e]/g, '?').slice(0, 64);
