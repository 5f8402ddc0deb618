import { json, pageHeaders, problems } from '../answers.ts';
import type { Answer, Operation, Paths } from '../describe.ts';
import { always, like, type HeaderUses } from '../headers.ts';
import { retryAfter } from '../../problems.ts';

const noStore: HeaderUses = { 'Cache-Control': always('no-store') };
const forAll: HeaderUses = {
  'Cache-Control': always('public, max-age=300'),
  ETag: like('"kQ3f…"'),
};

const open = { tag: 'Operation', security: [] } as const satisfies Partial<Operation>;
const about = { tag: 'Discovery', security: [] } as const satisfies Partial<Operation>;

const { 'Set-Cookie': _, ...readerHeaders } = { ...pageHeaders, ...forAll };

const serving = {
  eventStore: 'ok',
  database: 'ok',
  projector: 'leading',
  revocations: 'standby',
  history: 'leading',
  logHeads: 'standby',
  streams: 'standby',
  retention: 'standby',
  tableRetention: 'leading',
  tokens: 'accepted',
};

/** The same for everybody, so it may be kept. */
const reader = (...more: readonly 'not-found'[]): readonly Answer[] => [
  { status: 200, description: 'The page.', headers: readerHeaders, body: { kind: 'page' } },
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

/** For whoever runs the service, or builds on it. */
export const operationPaths: Paths = {
  '/health/live': {
    GET: {
      ...open,
      id: 'live',
      summary: 'Tell whether the process answers',
      answers: [
        json(200, 'It does.', 'Liveness', noStore, {
          live: { status: 'live', version: '1.4.0', commit: '9fceb02d0ae598e95dc970b74767f19372d61af8' },
        }),
        ...problems([]),
      ],
    },
  },
  '/health/ready': {
    GET: {
      ...open,
      id: 'ready',
      summary: 'Tell whether tokens are accepted',
      answers: [
        json(200, 'They are.', 'Readiness', noStore, {
          ready: { status: 'ready', checks: { ...serving, kafka: 'not configured' } },
          degraded: {
            status: 'degraded',
            checks: {
              ...serving,
              kafka: 'does not work (ECONNREFUSED) since 2026-08-01T10:00:00.000Z; 120 events wait',
            },
          },
        }),
        json(
          503,
          'Not now.',
          'Readiness',
          { ...noStore, 'Retry-After': always(retryAfter) },
          {
            behind: {
              status: 'not-ready',
              checks: { ...serving, tokens: 'not accepted until the read models are current' },
            },
            stopping: { status: 'stopping', checks: { ...serving, kafka: 'not configured' } },
          },
        ),
        ...problems([]),
      ],
    },
  },
  '/metrics': {
    GET: {
      ...open,
      id: 'metrics',
      summary: 'Get the numbers of this instance for Prometheus',
      description: 'The text format of Prometheus, version 0.0.4. The numbers name nobody.',
      answers: [
        {
          status: 200,
          description: 'The numbers.',
          headers: noStore,
          body: { kind: 'document', mediaType: 'text/plain' },
        },
        ...problems([]),
      ],
    },
  },
  '/openapi.json': {
    GET: { ...about, id: 'openapi', summary: 'Get this document', answers: documents('OpenAPI 3.1.') },
  },
  '/asyncapi.json': {
    GET: {
      ...about,
      id: 'asyncapi',
      summary: 'Get the contract of what goes out and comes in by Kafka',
      description:
        'Topics, keys, and the JSON Schema of every message: decisions that this service sends, and records of the host platform that it reads. The same with and without Kafka.',
      answers: documents('AsyncAPI 3.0.'),
    },
  },
  '/docs': { GET: { ...about, id: 'docs', summary: 'Read the documentation', answers: reader() } },
  '/problems': {
    GET: { ...about, id: 'problems', summary: 'Read about all problems', answers: reader() },
  },
  '/problems/{kind}': {
    GET: {
      ...about,
      id: 'problem',
      summary: 'Read what a problem means, and what to do',
      description: 'The `type` of every problem is such an address.',
      answers: reader('not-found'),
    },
  },
};
