import type { FastifyInstance } from 'fastify';
import type { HttpConfig } from '../base/dependencies.ts';
import { preflight } from '../openapi/answers.ts';
import type { Operation, Paths } from '../openapi/describe.ts';
import { always, type HeaderUses } from '../openapi/headers.ts';
import { path, type Handler } from '../base/routes.ts';
import { methodNotAllowed } from '../answers/send-problem.ts';

/** What a preflight allows (Fetch §4.8): these request headers, and those of W3C Trace Context. */
export const permissionsOf = (methods: string, headers: readonly string[] = []) => ({
  'Access-Control-Allow-Methods': methods,
  'Access-Control-Allow-Headers': [...headers, 'traceparent', 'tracestate'].join(', '),
  'Access-Control-Max-Age': '600',
});

type Preflight = Pick<Operation, 'id' | 'tag' | 'summary'> & {
  readonly methods: string;
  readonly headers: readonly string[];
  readonly more?: HeaderUses;
};

/** A preflight for scripts of any origin, which send a token or nothing, and never a cookie. */
export const preflightOf = ({ methods, headers, more = {}, ...of }: Preflight): Operation => ({
  ...of,
  description: 'Browsers send it automatically. Any origin is allowed; cookies are ignored.',
  security: [],
  answers: [
    preflight({
      ...allowed({ 'Access-Control-Allow-Origin': '*', ...permissionsOf(methods, headers) }),
      ...more,
    }),
  ],
});

const allowed = (headers: Readonly<Record<string, string>>): HeaderUses =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, always(value)])) as HeaderUses;

export const answerPreflight =
  (methods: string, headers: readonly string[]): Handler =>
  (_request, reply) =>
    reply
      .code(204)
      .headers({ 'access-control-allow-origin': '*', ...permissionsOf(methods, headers) })
      .send();

const ofDocument = ['GET, HEAD', ['if-none-match']] as const;

/** The operations of a document that scripts of any origin may read. */
export const openDocument = (get: Operation): { readonly GET: Operation; readonly OPTIONS: Operation } => ({
  GET: get,
  OPTIONS: preflightOf({
    id: `${get.id}-preflight`,
    tag: get.tag,
    summary: `CORS preflight: ${get.summary}`,
    methods: ofDocument[0],
    headers: ofDocument[1],
  }),
});

/** An address that scripts of any origin may read. @param permissions of its preflight */
export const openPath = (
  app: FastifyInstance,
  described: Paths,
  url: string,
  get: Handler,
  { baseUrl }: Pick<HttpConfig, 'baseUrl'>,
  permissions: readonly [methods: string, headers: readonly string[]] = ofDocument,
): void =>
  path(
    app,
    described,
    url,
    { GET: get, OPTIONS: answerPreflight(...permissions) },
    methodNotAllowed(baseUrl),
  );
