import type { FastifyRequest } from 'fastify';

/** All values of each parameter: a repeated one must be detected (G-04), and `__proto__` is a key like any other (G-03). */
export type Params = ReadonlyMap<string, readonly string[]>;

const none: Params = new Map();

/** Decodes `application/x-www-form-urlencoded`. Never throws: invalid sequences become U+FFFD. */
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

/** For Fastify: our own parameters instead of an object of strings and arrays (G-03, G-04). */
export const asQuery = (raw: string) => parseParams(raw) as unknown as Record<string, unknown>;

export const queryOf = (request: FastifyRequest): Params => request.query as Params;

/** The form parameters, as the form parser stored them; empty without a body. */
export const formOf = (request: FastifyRequest): Params => (request.body as Params | undefined) ?? none;

/** The value of a parameter; undefined when it is absent or empty, which is the same (G-02). */
export const one = (params: Params, name: string): string | undefined => params.get(name)?.[0] || undefined;

export const pathId = (request: FastifyRequest, name: string): string =>
  (request.params as Partial<Record<string, string>>)[name] ?? '';

export const isRepeated = (params: Params, name: string): boolean => (params.get(name)?.length ?? 0) > 1;

/** The same, but undefined for a repeated parameter, because it is unclear which value is meant. */
export const only = (params: Params, name: string): string | undefined =>
  isRepeated(params, name) ? undefined : one(params, name);

/** Combines both, so that a name sent in each counts as repeated (S1). */
export const together = (a: Params, b: Params): Params => {
  if (a.size === 0) return b;
  if (b.size === 0) return a;
  const all = new Map(a);
  for (const [name, values] of b) all.set(name, [...(all.get(name) ?? []), ...values]);
  return all;
};
