import type { AnswerName, FormName } from '../contracts/components.ts';
import type { ParameterTable } from '../contracts/parameters.ts';
import type { TokenErrorCode } from '../contracts/token.ts';
import type { ProblemKind } from '../answers/problems.ts';
import type { HeaderUses } from './headers.ts';
import type { Security } from './security.ts';

/**
 * How to describe a route, so that it gets into `/openapi.json` and `/docs`:
 *
 * 1. Find or add its path in the `…-paths.ts` next to the file that registers it, with one `Operation` per method. `path`
 *    makes it the `schema` of the route, from which `@fastify/swagger` collects the document (document.ts).
 * 2. Parameters are zod objects in `contracts/…`: the checks take their names from there (`namesOf`).
 * 3. Bodies are zod schemas in `contracts/…`, named in `contracts/components.ts`; the code that answers is typed by
 *    their `z.infer`.
 * 4. Answers: one for each status, with every header that it sends. `answers.ts` makes the usual ones, and
 *    document.ts adds those that every operation has.
 *
 * Our own pages are for people and are registered with `pagePath`: no interface for programs, so in no document.
 *
 * Every answer in any HTTP test that differs from the description, or from the rule for pages, fails that test
 * (test/support/documents/described.ts).
 */
export type Paths = Readonly<Record<string, Partial<Record<Method, Operation>>>>;

declare module 'fastify' {
  interface FastifySchema {
    /** What the document says of the route. Fastify neither validates nor serializes by it: our checks name the field. */
    readonly operation?: Operation | undefined;
    /** All operations of its address, which share the form of their errors. */
    readonly ofAddress?: readonly Operation[];
  }
}

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'OPTIONS';

export const tags = {
  'Getting access': 'An add-on gets, refreshes, introspects and revokes its tokens.',
  'Shared Signals':
    'What a confidential add-on is notified of by the Shared Signals Framework 1.0, with an access token of its own (`client_credentials`).',
  Lists: 'What an add-on reads: paginated, oldest first, with links to be followed as they are.',
  Identity: 'Who signed in: OpenID Connect, for add-ons that were granted `openid`.',
  Discovery: 'What the server says about itself.',
  'Add-ons of an organization':
    'For the organization’s administrators: with an administrator token, which they make at `/account`, or with the session of their browser. The ids are on the pages under `/admin`.',
  'Add-ons of a publisher':
    'For members of a publisher: with an administrator token for all organizations, or with the session of their browser. They see their own add-ons only, and nothing about people.',
  'Audit logs':
    'For auditors: the audit logs of organizations that the operator assigned to them, with the session of their browser or with an administrator token of theirs for all organizations. Each search is recorded before it is answered.',
  'Administration of the service':
    'For operators: organizations, users, add-ons, grants and signal streams, with an administrator token of an account that has the role operator. The names are those of the command line.',
  Operation: 'For operators.',
} as const;

export type Operation = {
  readonly id: string;
  readonly tag: keyof typeof tags;
  /** In a few words without a full stop. */
  readonly summary: string;
  /** Paragraphs; code stands in backticks. */
  readonly description?: string;
  /** Alternatives; empty: no authentication. */
  readonly security: readonly Security[];
  readonly query?: ParameterTable;
  readonly form?: FormName;
  /** The body has one JSON object a line. */
  readonly lines?: true;
  /** The schema of a JSON body. Its unknown fields are refused. */
  readonly json?: FormName;
  /** The media types of that body; by default `application/json`. */
  readonly jsonTypes?: readonly string[];
  readonly answers: readonly Answer[];
};

/** An answer of an operation. Several of one status differ by their media type. */
export type Answer = {
  readonly status: number;
  readonly description: string;
  /** Every header except `Content-Type`, `Content-Length`, `Date` and headers of the connection. */
  readonly headers: HeaderUses;
  readonly body?: Body;
  /** Operations that can follow this answer; keys consist of letters and hyphens. */
  readonly links?: Readonly<Record<string, Link>>;
};

/** Values are runtime expressions (OpenAPI 3.1 §4.8.20.4), as `$response.body#/client_id`, or constants. */
export type Link = {
  readonly operation: string;
  readonly description: string;
  readonly parameters?: Readonly<Record<string, string>>;
  readonly requestBody?: Readonly<Record<string, string>>;
};

export type Body =
  | {
      readonly kind: 'json';
      readonly schema: AnswerName;
      readonly examples: Readonly<Record<string, unknown>>;
    }
  | { readonly kind: 'problem'; readonly problems: readonly ProblemKind[] }
  | { readonly kind: 'oauth-error'; readonly errors: readonly TokenErrorCode[] }
  | { readonly kind: 'page' }
  | { readonly kind: 'document'; readonly mediaType: string };
