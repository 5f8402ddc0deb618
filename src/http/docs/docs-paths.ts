import { docsParameters, problemsParameters } from '../contracts/docs-parameters.ts';
import { openDocument } from '../requests/cors.ts';
import { pageHeaders, problems } from '../openapi/answers.ts';
import type { Answer, Operation, Paths } from '../openapi/describe.ts';
import { always, like, sometimes, type HeaderUses } from '../openapi/headers.ts';

const forAll: HeaderUses = {
  'Cache-Control': always('public, max-age=300'),
  ETag: like('"kQ3f…"'),
};

/** In which language: by the account, `ui_locales`, then `Accept-Language`. */
const forReaders: HeaderUses = { ...forAll, Vary: always() };

const about = { tag: 'Discovery', security: [] } as const satisfies Partial<Operation>;
const forPeople = { ...about, query: docsParameters } as const satisfies Partial<Operation>;

const { 'Set-Cookie': _, ...readerHeaders } = { ...pageHeaders, ...forReaders };

const found: Answer = {
  status: 200,
  description: 'The page.',
  headers: readerHeaders,
  body: { kind: 'page' },
};

/** The same for every reader of a language, so it may be cached. */
const reader = (...more: readonly 'not-found'[]): readonly Answer[] => [
  found,
  { status: 304, description: 'The same as before.', headers: readerHeaders },
  ...problems(more),
];

const documents = (description: string): readonly Answer[] => {
  const headers = { ...forAll, 'Access-Control-Allow-Origin': always('*') };
  return [
    { status: 200, description, headers, body: { kind: 'document', mediaType: 'application/json' } },
    { status: 304, description: 'The same as before.', headers },
    ...problems([]),
  ];
};

export const docsPaths = {
  '/openapi.json': openDocument({
    ...about,
    id: 'openapi',
    summary: 'Get this document',
    answers: documents('OpenAPI 3.1.'),
  }),
  '/asyncapi.json': openDocument({
    ...about,
    id: 'asyncapi',
    summary: 'Get the contract of what goes out and comes in by Kafka',
    description:
      'Topics, keys, and the JSON Schema of every message: decisions that this service sends, and records of the host platform that it reads. The same with and without Kafka.',
    answers: documents('AsyncAPI 3.0.'),
  }),
  '/docs': { GET: { ...forPeople, id: 'docs', summary: 'Read the documentation', answers: reader() } },
  '/docs/connect-your-add-on': {
    GET: {
      ...forPeople,
      id: 'guide',
      summary: 'Read how an add-on is connected',
      description: 'From the registration to signals, by curl, JavaScript and Python.',
      answers: reader(),
    },
  },
  '/problems': {
    GET: {
      ...about,
      id: 'problems',
      summary: 'Read about all problems',
      query: problemsParameters,
      answers: [
        // The results of a search are made for each request.
        { ...found, headers: { ...readerHeaders, ETag: sometimes(), 'Cache-Control': always() } },
        ...reader().slice(1),
      ],
    },
  },
  '/problems/{kind}': {
    GET: {
      ...forPeople,
      id: 'problem',
      summary: 'Read what a problem means, and what to do',
      description: 'The `type` of every problem is such an address.',
      answers: reader('not-found'),
    },
  },
} satisfies Paths;
