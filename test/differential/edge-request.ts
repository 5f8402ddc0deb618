import type { ClientName } from './clients.ts';
import { form, type Goal, type User } from './visitor.ts';

export type Pairs = readonly (readonly [name: string, value: string])[];

/** Parameters that are set, repeated (a list) or left out (null) in an otherwise valid request. */
export type Change = Readonly<Record<string, string | readonly string[] | null>>;

/** What was made at each server before the request is sent. Its values stand in the request as `{code}` and so on. */
export type Given = {
  readonly made: 'code' | 'spent-code' | 'replayed-code' | 'tokens' | 'rotated' | 'rotated-twice';
  readonly by: ClientName;
  /** How the authorization request differed from the plain one. */
  readonly asking?: Change;
};

/** One malformed or edge request, as data. */
export type EdgeRequest = {
  /** `endpoint/family/case` */
  readonly id: string;
  readonly endpoint: 'authorize' | 'token';
  readonly method: string;
  /** A text is sent as it is. */
  readonly query: Pairs | string;
  readonly body?: Pairs | string | undefined;
  readonly headers: Readonly<Record<string, string>>;
  /** `other` has a browser of its own for every request, so that going through pages disturbs no other request. */
  readonly browser: 'nobody' | User;
  readonly goal: Goal;
  readonly given: Given | null;
  /** Seconds that pass between what was given and the request. */
  readonly after: number;
};

type Options = Partial<Omit<EdgeRequest, 'id' | 'endpoint'>>;
type Cases = Readonly<Record<string, Change>>;
type Special = Readonly<Record<string, Options>>;

export const changed = (base: Readonly<Record<string, string>>, change: Change = {}): Pairs =>
  Object.entries<Change[string]>({ ...base, ...change }).flatMap(([name, value]) =>
    (value === null ? [] : [value].flat()).map((one) => [name, one] as const),
  );

/** Application/x-www-form-urlencoded, or the text as it is. */
export const encoded = (pairs: Pairs | string): string =>
  typeof pairs === 'string'
    ? pairs
    : pairs.map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`).join('&');

const formHeaders = { 'content-type': form };
const blank = {
  query: [],
  headers: {},
  browser: 'nobody',
  goal: 'first-page',
  given: null,
  after: 0,
} as const;

type Base = Readonly<Record<string, string>>;

/** Authorization requests that differ in more than their parameters; the browser is one that has approved. */
export const specialAuthorizeCases = (family: string, base: Base, cases: Special): readonly EdgeRequest[] =>
  Object.entries(cases).map(([name, options]) => ({
    ...blank,
    endpoint: 'authorize',
    method: 'GET',
    browser: 'approved',
    query: changed(base),
    ...options,
    id: `authorize/${family}/${name}`,
  }));

/** Token requests that differ in more than the parameters of their form. */
export const specialTokenCases = (
  family: string,
  base: Base,
  given: Given | null,
  cases: Special,
): readonly EdgeRequest[] =>
  Object.entries(cases).map(([name, options]) => ({
    ...blank,
    endpoint: 'token',
    method: 'POST',
    headers: formHeaders,
    given,
    body: changed(base),
    ...options,
    id: `token/${family}/${name}`,
  }));

const eachOf = (cases: Cases, optionsOf: (change: Change) => Options): Special =>
  Object.fromEntries(Object.entries(cases).map(([name, change]) => [name, optionsOf(change)]));

/** Authorization requests that differ from a valid one in their parameters. */
export const authorizeCases = (family: string, base: Base, cases: Cases, options: Options = {}) =>
  specialAuthorizeCases(
    family,
    base,
    eachOf(cases, (change) => ({ ...options, query: changed(base, change) })),
  );

/** Token requests that differ from a valid one in the parameters of their form. */
export const tokenCases = (
  family: string,
  base: Base,
  given: Given | null,
  cases: Cases,
  options: Options = {},
) =>
  specialTokenCases(
    family,
    base,
    given,
    eachOf(cases, (change) => ({ ...options, body: changed(base, change) })),
  );
