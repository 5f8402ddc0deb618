import fc from 'fast-check';
import type { Pairs } from './edge-request.ts';

/** One small harm to the parameters of a request. Places are fractions, so that they fit any list and any text. */
export type Mutation =
  | {
      readonly do: 'drop' | 'repeat' | 'empty' | 'name in capitals' | 'swap case' | 'cut';
      readonly at: number;
    }
  | { readonly do: 'repeat otherwise'; readonly at: number; readonly text: string }
  | { readonly do: 'insert'; readonly at: number; readonly where: number; readonly text: string }
  | { readonly do: 'add'; readonly name: string; readonly text: string };

const texts = [
  ' ',
  '+',
  '%',
  '&',
  '=',
  '#',
  '"',
  '\\',
  '/',
  ':',
  '\0',
  '\r\n',
  '\t',
  'é',
  '🚪',
  '\uFFFD',
  '{}',
  '[]',
  '..',
  'code',
  'token',
  'none',
  'login',
  'openid',
  'plain',
  'S256',
  '0',
  '-1',
  '1e9',
  'x'.repeat(5_000),
  'https://evil.example/',
  'javascript:alert(1)',
  '__proto__',
  'mkt_code_',
  'null',
];
const names = [
  'client_id',
  'redirect_uri',
  'response_type',
  'response_mode',
  'state',
  'scope',
  'code_challenge',
  'nonce',
  'code_challenge_method',
  'prompt',
  'max_age',
  'id_token_hint',
  'request',
  'request_uri',
  'registration',
  'grant_type',
  'code',
  'code_verifier',
  'refresh_token',
  'client_secret',
  'login_hint',
  'display',
  'claims',
  '__proto__',
  'constructor',
  'a[]',
  '',
  'state ',
  'ui_locales',
  'acr_values',
  'audience',
  'assertion',
];

const anyText = fc.oneof(fc.constantFrom(...texts), fc.string({ maxLength: 8, unit: 'binary' }));
const place = fc.integer({ min: 0, max: 999 }).map((part) => part / 1_000);

export const mutation: fc.Arbitrary<Mutation> = fc.oneof(
  fc.record({
    do: fc.constantFrom('drop', 'repeat', 'empty', 'name in capitals', 'swap case', 'cut'),
    at: place,
  }),
  fc.record({ do: fc.constant('repeat otherwise'), at: place, text: anyText }),
  fc.record({ do: fc.constant('insert'), at: place, where: place, text: anyText }),
  fc.record({ do: fc.constant('add'), name: fc.constantFrom(...names), text: anyText }),
);

export const mutate = (pairs: Pairs, mutations: readonly Mutation[]): Pairs =>
  mutations.reduce(mutateOnce, pairs).map(([name, value]) => [wellFormed(name), wellFormed(value)] as const);

/** Half a surrogate pair, which a cut leaves, cannot be encoded. */
const wellFormed = (text: string): string => Buffer.from(text).toString();

const mutateOnce = (pairs: Pairs, mutation: Mutation): Pairs => {
  if (mutation.do === 'add') return [...pairs, [mutation.name, mutation.text]];
  const index = Math.floor(mutation.at * pairs.length);
  const pair = pairs[index];
  return pair ? pairs.toSpliced(index, 1, ...harmed(pair, mutation)) : pairs;
};

const isMade = (value: string): boolean => /^\{[a-z_]+\}$/.test(value);

const harmed = (
  pair: Pairs[number],
  mutation: Exclude<Mutation, { readonly do: 'add' }>,
): readonly (readonly [string, string])[] => {
  const [name, value] = pair;
  switch (mutation.do) {
    case 'drop':
      return [];
    case 'repeat':
      return [pair, pair];
    case 'repeat otherwise':
      return [pair, [name, mutation.text]];
    case 'empty':
      return [[name, '']];
    case 'name in capitals':
      return [[name.toUpperCase(), value]];
    case 'swap case':
      return isMade(value) ? [pair] : [[name, swapCase(value)]];
    case 'cut':
      return isMade(value) ? [pair] : [[name, value.slice(0, -1)]];
    case 'insert': {
      // What was made for the request is filled in later: only its ends can be reached.
      const at = isMade(value)
        ? Math.round(mutation.where) * value.length
        : Math.round(mutation.where * value.length);
      return [[name, value.slice(0, at) + mutation.text + value.slice(at)]];
    }
  }
};

const swapCase = (value: string): string =>
  value.replaceAll(/[a-z]|[A-Z]/g, (one) => (one < 'a' ? one.toLowerCase() : one.toUpperCase()));
