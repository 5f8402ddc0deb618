import { formsOf } from '../support/scenes/pages.ts';
import { asks } from './visitor.ts';
import type { EdgeRequest } from './edge-request.ts';
import type { Side } from './side.ts';
import type { Answer } from './wire.ts';

/** What the two servers are compared in. Null where it does not apply or is not there. */
export type Outcome = {
  /** `page` is HTML, `redirect` leads to the client (by a form, too), `json` is JSON, `other` anything else. */
  readonly kind: 'page' | 'redirect' | 'json' | 'other';
  readonly status: string;
  /** What a page asks of the user. */
  readonly asks: string | null;
  /** Of a redirect or of JSON. */
  readonly error: string | null;
  /** Whether a redirect carries a code, and where its parameters are. */
  readonly code: string | null;
  readonly by: string | null;
  readonly state: string | null;
  readonly iss: string | null;
  /** Whether a redirect keeps the octets of the redirect URI. */
  readonly target: string | null;
  readonly cacheControl: string | null;
  readonly pragma: string | null;
  /** Scheme of `WWW-Authenticate`. */
  readonly challenge: string | null;
  readonly allow: string | null;
  readonly cors: string | null;
  /** Members of a token answer, and the scope that it names. */
  readonly members: string | null;
  readonly scope: string | null;
};

export const fields = [
  'kind',
  'status',
  'asks',
  'error',
  'code',
  'by',
  'state',
  'iss',
  'target',
  'cacheControl',
  'pragma',
  'challenge',
  'allow',
  'cors',
  'members',
  'scope',
] as const satisfies readonly (keyof Outcome)[];

export type Field = (typeof fields)[number];

/** What was asked, as far as an answer is judged by it. */
export type Asked = Pick<EdgeRequest, 'endpoint'> & {
  readonly state: string | undefined;
  readonly redirectUri: string | undefined;
};

export const outcomeOf = ({ issuer }: Pick<Side, 'issuer'>, asked: Asked, answer: Answer): Outcome => {
  const { headers, status } = answer;
  const header = (name: string) => (headers[name] === undefined ? null : String(headers[name]));
  const location = redirectOf(asked, answer);
  return {
    ...nothing,
    status: String(status),
    // Who may store it is compared; no-transform is about compression (DO-06), which the peer leaves to a proxy.
    cacheControl: header('cache-control')?.replace(', no-transform', '') ?? null,
    pragma: header('pragma'),
    challenge: header('www-authenticate')?.replace(/ .*$/s, '') ?? null,
    allow: header('allow'),
    cors: header('access-control-allow-origin'),
    ...(location === null ? bodyOutcome(answer) : redirectOutcome(issuer, asked, location)),
  };
};

const nothing = {
  asks: null,
  error: null,
  code: null,
  by: null,
  state: null,
  iss: null,
  target: null,
  members: null,
  scope: null,
};

type Redirect = {
  readonly uri: string;
  readonly by: 'query' | 'fragment' | 'form';
  readonly carried: string;
};

/** Where the browser is sent, with what; null when it stays. A form that sends itself is `response_mode=form_post`. */
const redirectOf = (asked: Asked, { status, headers, body }: Answer): Redirect | null => {
  if (asked.endpoint !== 'authorize') return null;
  const form = formsOf(body).find(({ action }) => action === asked.redirectUri);
  if (form) return { uri: form.action, by: 'form', carried: new URLSearchParams(form.fields).toString() };
  if (status < 300 || status > 399) return null;
  const uri = headers.location ?? '';
  const fragment = /#(.*)$/s.exec(uri)?.[1];
  if (fragment !== undefined) return { uri, by: 'fragment', carried: fragment };
  return { uri, by: 'query', carried: /\?(.*)$/s.exec(uri)?.[1] ?? '' };
};

const redirectOutcome = (issuer: string, { state, redirectUri }: Asked, { uri, by, carried }: Redirect) => {
  const parameters = new URLSearchParams(carried);
  const got = parameters.get('state');
  const iss = parameters.get('iss');
  const sameState = got === state ? 'same' : 'changed';
  return {
    kind: 'redirect',
    error: parameters.get('error'),
    code: parameters.has('code') ? 'yes' : null,
    by,
    state: got === null ? null : sameState,
    iss: iss === issuer ? 'own' : iss,
    target: redirectUri !== undefined && uri.startsWith(redirectUri) ? 'as sent' : 'respelled',
  } as const;
};

const bodyOutcome = (answer: Answer): Pick<Outcome, 'kind'> & Partial<Outcome> => {
  const type = answer.headers['content-type'] ?? '';
  if (type.includes('html')) return { kind: 'page', asks: asks(answer) };
  if (!type.includes('json') || answer.body === '') return { kind: 'other' };
  const body = JSON.parse(answer.body) as { readonly error?: string; readonly scope?: string };
  if (body.error !== undefined) return { kind: 'json', error: body.error };
  return {
    kind: 'json',
    members: Object.keys(body).toSorted().join(' '),
    scope: body.scope ?? null,
  };
};
