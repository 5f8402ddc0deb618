import type { FastifyRequest } from 'fastify';

/**
 * Parameters of a query string or form body, every value kept: a repeated one must be noticed (G-04), and a name
 * such as `__proto__` is a key like any other (G-03).
 */
export type Params = ReadonlyMap<string, readonly string[]>;

const none: Params = new Map();

/** Decodes `application/x-www-form-urlencoded`. Never throws: what cannot be decoded becomes U+FFFD. */
export const parseParams = (raw: string): Params => {
  if (raw === '') return none;
  const params = new Map<string, string[]>();
  for (const [name, value] of new URLSearchParams(raw)) {
    const values = params.get(name);
    if (values) values.push(value);
    else params.set(name, [value]);
  }
  return params;
};

/** What the server's own query parser has left on the request. */
export const queryOf = (request: FastifyRequest): Params => request.query as Params;

/** What the form parser has left on the request; empty when there was no body. */
export const formOf = (request: FastifyRequest): Params => (request.body as Params | undefined) ?? none;

/** The value of a parameter that was sent once; undefined when absent or empty, which is the same (G-02). */
export const one = (params: Params, name: string): string | undefined => params.get(name)?.[0] || undefined;

export const isRepeated = (params: Params, name: string): boolean => (params.get(name)?.length ?? 0) > 1;

/** The same where nobody could say which one is meant: a repeated parameter is as good as none. */
export const only = (params: Params, name: string): string | undefined =>
  isRepeated(params, name) ? undefined : one(params, name);

/** Both sources as one, so that a name sent in each counts as repeated (S1). */
export const together = (a: Params, b: Params): Params => {
  if (a.size === 0) return b;
  if (b.size === 0) return a;
  const all = new Map(a);
  for (const [name, values] of b) all.set(name, [...(all.get(name) ?? []), ...values]);
  return all;
};
