import type { FastifyDynamicSwaggerOptions } from '@fastify/swagger';
import type { FastifySchema } from 'fastify';
import { z } from 'zod';
import { problemKinds, type ProblemKind } from '../answers/problems.ts';
import { formSchemas, type FormName } from '../contracts/components.ts';
import { pathParameters } from '../contracts/parameters.ts';
import { notKept, page } from './answers.ts';
import { tags, type Operation, type Answer } from './describe.ts';
import { makePresentAnswers, sharedExamples, type PresentAnswers } from './present-answers.ts';
import { componentSchemas, parametersOf, refTo } from './schemas.ts';
import { requirementsOf, securitySchemes } from './security.ts';

type About = {
  readonly baseUrl: string;
  readonly issuer: string;
  readonly secureCookies: boolean;
  readonly version: string;
};

const introduction = `OAuth 2.0 for add-ons (authorization code with PKCE), three paginated lists, and the administrators’ API.

Every \`GET\` also answers \`HEAD\`, except under \`/oauth/authorize\` and \`/oauth/logout\`. A method that an address does not offer is answered with 405 and \`Allow\`, an address that does not exist with 404. What is not HTTP, or has header fields that are too large, is answered with 400 or 431 as problem details at every address.

Errors are problem details (RFC 9457); those of \`/oauth/token\`, \`/oauth/revoke\` and \`/oauth/introspect\` are RFC 6749 JSON. Browsers get a page instead: at \`/oauth/authorize\`, \`/oauth/logout\` and the service’s own pages for every error but 408; elsewhere for 404, 405 and every 5xx, if the request has no \`Authorization\` and either navigates (\`Sec-Fetch-Mode: navigate\`) or is a \`GET\` whose \`Accept\` prefers \`text/html\` to JSON.

The service’s own pages, such as \`/sign-in\` and \`/account\`, are for people, and are not described here.

Fields may be added to answers: ignore what you do not know. Nothing is taken away, and no path has a version.`;

const elsewhere = ({ baseUrl }: About): string =>
  `[How an add-on is connected](${baseUrl}/docs/connect-your-add-on), step by step; [what each problem means](${baseUrl}/problems); and [the messages by Kafka](${baseUrl}/asyncapi.json) (AsyncAPI 3.0).`;

/**
 * The OpenAPI 3.1 document by `@fastify/swagger`; what it has no words for is carried as `x-described` and written by `complete`.
 * `about` is read when the document is made: the address may be known only after `listen`.
 */
export const documentOptions = (about: () => About): FastifyDynamicSwaggerOptions => ({
  openapi: { openapi: '3.1.1' },
  convertConstToEnum: false,
  stripBasePath: false,
  transform: ({ schema, url }) => ({ url, schema: presented(schema, url) }),
  transformObject: (made) => complete((made as unknown as Made).openapiObject, about()) as object,
});

type Described = { readonly operation: Operation; readonly ofAddress: readonly Operation[] };

type Collected = {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly parameters?: readonly { readonly name: string; readonly in: 'path' | 'query' }[];
  readonly 'x-described': Described;
};

type Made = {
  readonly openapiObject: {
    readonly openapi: string;
    readonly paths: Readonly<Record<string, Readonly<Record<string, Collected>>>>;
  };
};

const presented = ({ operation, ofAddress }: FastifySchema = {}, url: string) => {
  if (!operation) return { hide: true };
  const named = [...url.matchAll(/:(\w+)/g)].map(
    ([, name = '']) => [name, pathParameters.shape[name as keyof typeof pathParameters.shape]] as const,
  );
  return {
    operationId: operation.id,
    tags: [operation.tag],
    summary: operation.summary,
    ...(operation.description !== undefined && { description: operation.description }),
    ...(operation.query && { querystring: parametersOf(operation.query) }),
    ...(named.length > 0 && { params: parametersOf(z.object(Object.fromEntries(named))) }),
    'x-described': { operation, ofAddress },
  };
};

const complete = ({ openapi, paths }: Made['openapiObject'], about: About) => {
  const headers = makeHoist('headers');
  const responses = makeHoist('responses');
  const present = makePresentAnswers(headers.refTo, responses.refTo);
  return {
    openapi,
    info: {
      title: 'Grantbook',
      summary: 'The authorization server and marketplace ledger.',
      description: [introduction, elsewhere(about)].join('\n\n'),
      version: about.version,
    },
    servers: [{ url: about.baseUrl }],
    externalDocs: { url: `${about.baseUrl}/docs`, description: 'Human-readable API reference' },
    tags: Object.entries(tags).map(([name, description]) => ({ name, description })),
    paths: mapValues(paths, (operations) => mapValues(operations, (one) => withDescribed(one, present))),
    components: {
      schemas: componentSchemas(),
      examples: sharedExamples(about.baseUrl),
      responses: responses.components(),
      headers: headers.components(),
      securitySchemes: securitySchemes(about),
    },
  };
};

export type OpenApiDocument = ReturnType<typeof complete>;

const withDescribed = (
  { 'x-described': { operation, ofAddress }, ...collected }: Collected,
  present: PresentAnswers,
) => {
  const { form, json, jsonTypes = ['application/json'], lines, security, answers } = operation;
  return {
    ...collected,
    security: security.flatMap(requirementsOf),
    ...(form && { requestBody: bodyOf(form, ['application/x-www-form-urlencoded']) }),
    ...(json && { requestBody: bodyOf(json, jsonTypes) }),
    ...(lines && { requestBody: { required: true, content: { 'application/x-ndjson': { schema: bytes } } } }),
    responses: present([...answers, ...requestAnswers(ofAddress)]),
  };
};

/** Of lines, which no schema describes as a whole. */
const bytes = { type: 'string', format: 'binary' } as const;

const bodyOf = (schema: FormName, mediaTypes: readonly string[]) => ({
  required: !formSchemas[schema]?.safeParse({}).success,
  content: Object.fromEntries(mediaTypes.map((type) => [type, { schema: refTo(schema) }])),
});

const mapValues = <Value, To>(record: Readonly<Record<string, Value>>, to: (value: Value) => To) =>
  Object.fromEntries(Object.entries(record).map(([key, value]) => [key, to(value)]));

/** Deduplicates equal parts of the document to keep it small: `Name`, `Name.2` and so on. */
const makeHoist = (kind: 'headers' | 'responses') => {
  const names = new Map<string, string>();
  const components: Record<string, object> = {};
  return {
    refTo: (name: string, part: object): { readonly $ref: string } => {
      const key = `${name} ${JSON.stringify(part)}`;
      const known = names.get(key) ?? nextName(components, name);
      names.set(key, known);
      components[known] = part;
      return { $ref: `#/components/${kind}/${known}` };
    },
    components: (): Readonly<Record<string, object>> => components,
  };
};

const nextName = (taken: Readonly<Record<string, object>>, name: string): string => {
  let number = 1;
  while (Object.hasOwn(taken, number === 1 ? name : `${name}.${number}`)) number += 1;
  return number === 1 ? name : `${name}.${number}`;
};

type ErrorForm = 'problem' | 'oauth-error' | 'page';

/** Refusals that any request may get, whatever its address and method (requests/base-server.ts, connections/raw-problem.ts). */
const refusals = [
  'request-timeout',
  'unsupported-content-encoding',
  'expectation-failed',
  'unsupported-transfer-encoding',
] as const satisfies readonly ProblemKind[];

/** Answers that all operations of an address have in addition to their own, in the form of their other errors. */
const requestAnswers = (operations: readonly Operation[]): readonly Answer[] => {
  const form = errorFormOf(operations);
  // A request that does not arrive completely has no route, so its answer is always a problem.
  return refusals.map((kind) => inForm(kind === 'request-timeout' ? 'problem' : form, kind));
};

const errorFormOf = (operations: readonly Operation[]): ErrorForm => {
  const kinds = new Set(operations.flatMap(({ answers }) => answers.flatMap(({ body }) => body?.kind ?? [])));
  if (kinds.has('oauth-error')) return 'oauth-error';
  return kinds.has('problem') ? 'problem' : 'page';
};

const inForm = (form: ErrorForm, kind: ProblemKind): Answer => {
  const { status, title } = problemKinds[kind];
  const description = `${title}.`;
  switch (form) {
    case 'problem':
      return { status, description, headers: {}, body: { kind: 'problem', problems: [kind] } };
    case 'oauth-error': {
      const body = { kind: 'oauth-error', errors: ['invalid_request'] } as const;
      return { status, description, headers: notKept, body };
    }
    case 'page':
      return page(status, description);
  }
};
