import { isServerAway } from '../../common/server-away.ts';
import { ProxyFailed } from '../../common/proxies.ts';
import { jsonIn } from '../../common/json-in.ts';
import type { IncomingHttpHeaders } from 'node:http';
import { packageVersion } from '../../process/package-root.ts';
import { NotAllowed } from '../../common/not-allowed.ts';
import { AwayForNow, NotReached } from '../base/not-reached.ts';
import { send, textOf, type Response } from './send.ts';
import type { Server } from './server.ts';

type Json = Readonly<Record<string, unknown>>;

export type Asked = {
  readonly query?: Readonly<Record<string, unknown>>;
  /** Sent as JSON; bytes are sent as they are. */
  readonly body?: Json | Uint8Array;
  readonly headers?: Readonly<Record<string, string>>;
  /** In milliseconds: how long nothing may come; ten minutes by default, as some answers are computed from the whole log. */
  readonly patience?: number;
};

/** A problem that the service answered with (RFC 9457). */
export type Refused = {
  readonly ok: false;
  readonly status: number;
  /** The last part of its `type`. */
  readonly kind: string;
  /** Which refusal it is, as the command line names it. */
  readonly code: string;
  readonly message: string;
  /** In seconds, where the service says when to try again. */
  readonly retryAfter: number | null;
  readonly problems?: readonly { readonly field: string; readonly message: string }[];
  readonly candidates?: readonly { readonly id: string; readonly name: string }[];
  readonly current?: Json;
};

export type Answered = { readonly ok: true; readonly json: Json } | Refused;

export type Api = {
  readonly server: Server;
  readonly ask: (method: string, path: string, asked?: Asked) => Promise<Answered>;
  /** The body of a file as it comes. */
  readonly stream: (path: string, asked?: Asked) => Promise<Refused | AsyncIterable<Uint8Array>>;
};

export type Caller = {
  readonly server: Server;
  /** Null before a sign-in. */
  readonly token: string | null;
  readonly signal: AbortSignal;
};

/** Sends requests to one service, with its token. Redirects are not followed: the token is for this address alone. */
export const makeApi = ({ server, token, signal }: Caller): Api => {
  const ask = async (
    method: string,
    path: string,
    { query = {}, body, headers, patience = 600_000 }: Asked = {},
  ) => {
    const sent = body instanceof Uint8Array || body === undefined ? body : JSON.stringify(body);
    const response = await send(`${server.url}${path}${queryText(query)}`, {
      method,
      signal,
      patience,
      ...(server.proxies && { proxies: server.proxies }),
      headers: {
        accept: 'application/json',
        'user-agent': `grantbook/${packageVersion}`,
        prefer: 'outcome',
        ...(token !== null && { authorization: `Bearer ${token}` }),
        ...(typeof sent === 'string' && { 'content-type': 'application/json' }),
        ...(sent !== undefined && { 'content-length': String(Buffer.byteLength(sent)) }),
        ...headers,
      },
      ...(sent !== undefined && { body: sent }),
    }).catch((cause: unknown) => {
      throw signal.aborted ? cause : unreachable(server, cause);
    });
    const status = response.statusCode ?? 0;
    if (status >= 300 && status < 400)
      throw new NotReached(
        'GRANTBOOK_SERVER',
        `${server.url} redirects to another address (${status}), where the token is not sent: use the address of the service itself`,
      );
    return { status, isDone: status >= 200 && status < 300, response };
  };
  const readJson = async (status: number, response: Response): Promise<Json> => {
    const type = response.headers['content-type'] ?? 'nothing';
    const text = await textOf(response).catch((cause: unknown) => {
      throw signal.aborted ? cause : unreachable(server, cause);
    });
    const read = /^application\/(?:problem\+)?json\b/.test(type) ? parsed(text) : null;
    if (read !== null) return read;
    const says = `${server.url} answers ${status} with ${type.split(';')[0]} instead of JSON: it is no Grantbook, or a proxy answers in its place`;
    if (isForNow({ status })) throw new AwayForNow('GRANTBOOK_SERVER', says, secondsIn(response.headers));
    throw new NotReached('GRANTBOOK_SERVER', says);
  };
  return {
    server,
    ask: async (method, path, asked) => {
      const { status, isDone, response } = await ask(method, path, asked);
      const json = await readJson(status, response);
      return isDone ? { ok: true, json } : refusedBy(status, response.headers, json);
    },
    stream: async (path, asked) => {
      const { status, isDone, response } = await ask('GET', path, asked);
      return isDone
        ? (response as AsyncIterable<Uint8Array>)
        : refusedBy(status, response.headers, await readJson(status, response));
    },
  };
};

const parsed = (text: string): Json | null => {
  const read = jsonIn(text);
  return typeof read === 'object' && read !== null ? (read as Json) : null;
};

const queryText = (query: Readonly<Record<string, unknown>>): string => {
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    value === undefined || value === null
      ? []
      : (Array.isArray(value) ? value : [value]).map((one) => [name, String(one)]),
  );
  return pairs.length === 0 ? '' : `?${new URLSearchParams(pairs).toString()}`;
};

/** @throws NotAllowed where the token is refused, which no command can do anything about */
const refusedBy = (status: number, headers: IncomingHttpHeaders, json: Json): Refused => {
  const { type = '', title = '', detail, code, errors, candidates, current } = json;
  const kind = String(type).split('/').at(-1) ?? '';
  const wait = secondsIn(headers);
  const said = `${lowered(String(detail ?? title))}${wait === null ? '' : `; try again in ${wait} s`}`;
  const isKnown = typeof code === 'string' || kind.endsWith('-unknown');
  if (status === 401) throw new NotAllowed(tokenCodes[kind] ?? 'token-unknown', said);
  return {
    ok: false,
    status,
    kind,
    retryAfter: wait,
    code: typeof code === 'string' ? code : kind,
    message: isKnown ? String(detail ?? title) : said,
    ...(Array.isArray(candidates) && { candidates: candidates as NonNullable<Refused['candidates']> }),
    ...(typeof current === 'object' && current !== null && { current: current as Json }),
    ...(Array.isArray(errors) && {
      problems: (errors as readonly Json[]).map((one) => ({
        field: String(one['parameter']),
        message: String(one['allowed']),
      })),
    }),
  };
};

/** The problems of a token, and what the command line calls them on the servers. */
const tokenCodes: Readonly<Record<string, string>> = {
  'administrator-token-unknown': 'token-unknown',
  'administrator-token-expired': 'token-expired',
  'administrator-token-revoked': 'token-revoked',
  'administrator-token-for-another-organization': 'token-for-one-organization',
};

const lowered = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1).replace(/\.$/, '');

const unreachable = ({ url }: Server, error: unknown): NotReached => {
  if (error instanceof ProxyFailed)
    return new AwayForNow('GRANTBOOK_SERVER', `${url} cannot be reached: ${error.message}`, null, {
      cause: error,
    });
  const { code = '', message = '' } = error as { readonly code?: string; readonly message?: string };
  const why = isOfTls(code)
    ? `its TLS certificate is not accepted (${code}); for a certificate authority of your own, set NODE_EXTRA_CA_CERTS`
    : code === 'ENOTFOUND'
      ? 'there is no such host'
      : code || message || 'no answer';
  const says = `${url} cannot be reached: ${why}`;
  const options = { cause: error };
  return isServerAway(error)
    ? new AwayForNow('GRANTBOOK_SERVER', says, null, options)
    : new NotReached('GRANTBOOK_SERVER', says, options);
};

/** Too many requests, an earlier try that goes on, or a service, or what is in front of it, that cannot answer now. */
export const isForNow = ({
  status,
  kind,
}: Pick<Refused, 'status'> & Partial<Pick<Refused, 'kind'>>): boolean =>
  [429, 502, 503, 504].includes(status) || kind === 'idempotency-key-running';

/** Grantbook answers seconds; a proxy may answer a date, or nothing. */
const secondsIn = ({ 'retry-after': wait = '' }: IncomingHttpHeaders): number | null =>
  /^\d{1,6}$/.test(wait) ? Number(wait) : null;

const isOfTls = (code: string): boolean => /CERT|SSL|TLS|SIGNATURE/.test(code);

/** The service refused a request before, or instead of, carrying out a task. */
export class RefusedByService extends NotAllowed {
  constructor({ code, kind, message, problems }: Refused) {
    const which = (problems ?? []).map((one) => ` ${one.field}: allowed is ${one.message}.`).join('');
    super(
      code,
      kind === 'not-found'
        ? `the service does not offer this: it has another version than this command line (${packageVersion})`
        : `${message}${which}`,
    );
  }
}
