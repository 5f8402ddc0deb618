import type { IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
import { jsonIn } from '../../common/json-in.ts';
import { NotAllowed } from '../../common/not-allowed.ts';
import type { ImportRequest } from '../../kafka/import/run-import.ts';
import { packageVersion } from '../../process/package-root.ts';

type Json = Readonly<Record<string, unknown>>;

/** What is heard of a request while it is carried out, where that is in this process. */
export type Meanwhile = Pick<ImportRequest<unknown>, 'onProgress' | 'onFailure'> & {
  /** Called with each event that is read. */
  readonly passed?: (event: { readonly created: number }) => void;
  /** Called with the share of the wait for the lists that is done. */
  readonly onHeadway?: (share: number) => void;
};

export type Asked = {
  readonly query?: Readonly<Record<string, unknown>>;
  /** Sent as JSON; bytes are sent as they are. A stream is taken in this process alone. */
  readonly body?: Json | Uint8Array | Readable;
  readonly headers?: Readonly<Record<string, string>>;
  /** In milliseconds: how long nothing may come; ten minutes by default, as some answers are computed from the whole log. */
  readonly patience?: number;
  readonly meanwhile?: Meanwhile;
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

/** A request, with its body as it is sent. */
export type Request = Required<Pick<Asked, 'headers' | 'patience' | 'meanwhile'>> & {
  readonly method: string;
  /** With its query. */
  readonly path: string;
  readonly body?: string | Uint8Array | Readable;
};

export type Response = {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: AsyncIterable<Uint8Array>;
};

/** Where the API is: in this process (`api-here.ts`), or at a service (`remote/network.ts`). */
export type Transport = {
  readonly isHere: boolean;
  readonly send: (request: Request) => Promise<Response>;
  /** What to throw for an answer that is no JSON. */
  readonly notJson: (response: Response) => Error;
  readonly close: () => Promise<void>;
};

/** The operators' API, through which the command line carries out its tasks, questions and imports. */
export type Api = Pick<Transport, 'isHere' | 'close'> & {
  readonly ask: (method: string, path: string, asked?: Asked) => Promise<Answered>;
  /** The body of a file as it comes. */
  readonly stream: (path: string, asked?: Asked) => Promise<Refused | AsyncIterable<Uint8Array>>;
};

export const apiOver = ({ isHere, send, notJson, close }: Transport): Api => {
  const sent = async (
    method: string,
    path: string,
    { query = {}, body, headers = {}, patience = 600_000, meanwhile = {} }: Asked = {},
  ) => {
    const isJson = body !== undefined && !isBytes(body);
    const response = await send({
      method,
      path: `${path}${queryText(query)}`,
      patience,
      meanwhile,
      headers: {
        accept: 'application/json',
        prefer: 'outcome',
        ...(isJson && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: isJson ? JSON.stringify(body) : body }),
    });
    return { response, isDone: response.status >= 200 && response.status < 300 };
  };
  const jsonOf = async (response: Response): Promise<Json> => {
    const parts: Uint8Array[] = [];
    for await (const part of response.body) parts.push(part);
    const isJson = /^application\/(?:problem\+)?json\b/.test(response.headers['content-type'] ?? '');
    const read = isJson ? jsonIn(Buffer.concat(parts).toString('utf8')) : null;
    if (typeof read !== 'object' || read === null) throw notJson(response);
    return read as Json;
  };
  return {
    isHere,
    close,
    ask: async (method, path, asked) => {
      const { isDone, response } = await sent(method, path, asked);
      const json = await jsonOf(response);
      return isDone ? { ok: true, json } : refusedBy(response, json);
    },
    stream: async (path, asked) => {
      const { isDone, response } = await sent('GET', path, asked);
      return isDone ? response.body : refusedBy(response, await jsonOf(response));
    },
  };
};

const isBytes = (body: Json | Uint8Array | Readable): body is Uint8Array | Readable =>
  body instanceof Uint8Array || Symbol.asyncIterator in body;

const queryText = (query: Readonly<Record<string, unknown>>): string => {
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    value === undefined || value === null
      ? []
      : (Array.isArray(value) ? value : [value]).map((one) => [name, String(one)]),
  );
  return pairs.length === 0 ? '' : `?${new URLSearchParams(pairs).toString()}`;
};

/** @throws NotAllowed where the token is refused, which no command can do anything about */
const refusedBy = ({ status, headers }: Response, json: Json): Refused => {
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

/** Too many requests, an earlier try that goes on, or a service, or what is in front of it, that cannot answer now. */
export const isForNow = ({
  status,
  kind,
}: Pick<Refused, 'status'> & Partial<Pick<Refused, 'kind'>>): boolean =>
  [429, 502, 503, 504].includes(status) || kind === 'idempotency-key-running';

/** Grantbook answers seconds; a proxy may answer a date, or nothing. */
export const secondsIn = ({ 'retry-after': wait = '' }: IncomingHttpHeaders): number | null =>
  /^\d{1,6}$/.test(wait) ? Number(wait) : null;

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
