import { openDocument } from '../requests/cors.ts';
import { streamQuery } from '../contracts/signal-streams.ts';
import { bearerChallenge, json, limitedBy, problems } from '../openapi/answers.ts';
import type { Operation, Paths } from '../openapi/describe.ts';
import { always, like, type HeaderUses } from '../openapi/headers.ts';
import type { ProblemKind } from '../answers/problems.ts';

const limited = limitedBy(['signals', 6000]);
const noStore: HeaderUses = { 'Cache-Control': always('no-store'), ...limited };
const issuer = 'https://auth.example';
const streamId = '01JD2C4Q6S8V0X2Z4B6D8F0H2K_01JD3FB0M2N4P6Q8R0S2T4V6W8';
const revoked = 'https://schemas.openid.net/secevent/caep/event-type/session-revoked';
const example = {
  stream_id: streamId,
  iss: issuer,
  aud: '01JD2C4Q6S8V0X2Z4B6D8F0H2K',
  delivery: { method: 'urn:ietf:rfc:8936', endpoint_url: `${issuer}/ssf/poll/${streamId}` },
  events_supported: [revoked, `${issuer}/signals/addon-deactivated`],
  events_requested: [revoked],
  events_delivered: [revoked],
  min_verification_interval: 5,
};

const tokens = [
  'token-missing',
  'token-unknown',
  'token-expired',
  'token-revoked',
  'insufficient-scope',
  'too-many-requests',
] as const;
const bodies = ['invalid-parameters', 'malformed-request', 'too-large', 'unsupported-media-type'] as const;

const refusals = (...kinds: readonly ProblemKind[]) =>
  problems([...tokens, ...kinds], limited, { 401: bearerChallenge, 403: bearerChallenge });

const reading = {
  tag: 'Shared Signals',
  security: ['ssf.read', 'ssf.manage'],
} as const satisfies Partial<Operation>;
const managing = { tag: 'Shared Signals', security: ['ssf.manage'] } as const satisfies Partial<Operation>;
const configuration = json(200, 'The stream as it is now.', 'SignalStream', noStore, { poll: example });
const status = json(200, 'The status as it is now.', 'SignalStreamStatus', noStore, {
  enabled: { stream_id: streamId, status: 'enabled' },
});
const done = (description: string) => ({ status: 204, description, headers: noStore });

export const streamPaths = {
  '/ssf/streams': {
    POST: {
      ...managing,
      id: 'create-signal-stream',
      summary: 'Create the stream of the add-on',
      description:
        'SSF 1.0 §8.1.1.1. An add-on has one stream, which is created, changed and deleted at most 600 times an hour. A poll unless `delivery` says otherwise; the URL of a push must be https, on a public address.',
      json: 'CreateSignalStreamForm',
      answers: [
        json(201, 'The stream.', 'SignalStream', noStore, { poll: example }),
        ...refusals(...bodies, 'signal-stream-exists'),
      ],
    },
    GET: {
      ...reading,
      id: 'read-signal-streams',
      summary: 'Read the streams of the add-on',
      description: 'SSF 1.0 §8.1.1.2. With `stream_id` this one, without it all, as an array.',
      query: streamQuery,
      answers: [
        json(200, 'One stream, or all.', 'SignalStreamOrAll', noStore, { one: example, all: [example] }),
        ...refusals('invalid-parameters', 'signal-stream-unknown'),
      ],
    },
    PATCH: {
      ...managing,
      id: 'update-signal-stream',
      summary: 'Change properties of the stream',
      description:
        'SSF 1.0 §8.1.1.3. What is not sent stays as it is. `delivery` is one property: it is replaced as a whole, with its header.',
      json: 'ChangeSignalStreamForm',
      answers: [configuration, ...refusals(...bodies, 'signal-stream-unknown')],
    },
    PUT: {
      ...managing,
      id: 'replace-signal-stream',
      summary: 'Replace the properties of the stream',
      description: 'SSF 1.0 §8.1.1.4. What is not sent is removed.',
      json: 'ChangeSignalStreamForm',
      answers: [configuration, ...refusals(...bodies, 'signal-stream-unknown')],
    },
    DELETE: {
      ...managing,
      id: 'delete-signal-stream',
      summary: 'Delete the stream',
      description: 'SSF 1.0 §8.1.1.5. Undelivered SETs are deleted, too.',
      query: streamQuery,
      answers: [
        done('It is deleted.'),
        ...refusals(
          'invalid-parameters',
          'malformed-request',
          'unsupported-media-type',
          'signal-stream-unknown',
        ),
      ],
    },
  },
  '/ssf/status': {
    GET: {
      ...reading,
      id: 'read-signal-stream-status',
      summary: 'Read the status of the stream',
      query: streamQuery,
      answers: [status, ...refusals('invalid-parameters', 'signal-stream-unknown')],
    },
    POST: {
      ...managing,
      id: 'set-signal-stream-status',
      summary: 'Enable, pause or disable the stream',
      description: 'SSF 1.0 §8.1.2.2. A paused stream keeps SETs for later, a disabled one does not.',
      json: 'SignalStreamStatusForm',
      answers: [status, ...refusals(...bodies, 'signal-stream-unknown')],
    },
  },
  '/ssf/verify': {
    POST: {
      ...managing,
      id: 'verify-signal-stream',
      summary: 'Ask for a verification event',
      description:
        'SSF 1.0 §8.1.4.2. It is delivered like every other event, with the same `state`. At most one in `min_verification_interval` seconds, and none while 100 wait.',
      json: 'VerifySignalStreamForm',
      answers: [done('It will be delivered.'), ...refusals(...bodies, 'signal-stream-unknown')],
    },
  },
  '/ssf/poll/{stream_id}': {
    POST: {
      ...reading,
      id: 'poll-signals',
      summary: 'Poll for the messages to the add-on',
      description:
        'RFC 8936. The answer comes as soon as there is a SET, and after 30 seconds at the latest. What is acknowledged is removed before the answer; of one organization or user the next SET is offered only then. What is not acknowledged is offered again, with the same `jti`. A paused or disabled stream offers nothing. At most 60 bodies a minute may be longer than 16,384 characters.',
      json: 'PollForm',
      answers: [
        json(200, 'What the stream offers.', 'PollAnswer', noStore, {
          'a SET': {
            sets: {
              '01JD3FB0M2N4P6Q8R0S2T4V6W8':
                'eyJhbGciOiJSUzI1NiIsInR5cCI6InNlY2V2ZW50K2p3dCJ9.eyJpc3MiOiJodH….Zx4…',
            },
            moreAvailable: true,
          },
          'nothing new': { sets: {} },
        }),
        ...refusals(...bodies, 'signal-stream-unknown'),
      ],
    },
  },
} satisfies Paths;

const forAll: HeaderUses = {
  'Cache-Control': always('public, max-age=300'),
  'Access-Control-Allow-Origin': always('*'),
  ETag: like('"mJ1v…"'),
};

const transmitter = (url: string): Operation => ({
  id: url.replace(/[^\w]+/g, '-').slice(1),
  tag: 'Discovery',
  summary: 'Find out what the transmitter of shared signals offers',
  description: 'SSF 1.0 §7.',
  security: [],
  answers: [
    json(200, 'The configuration.', 'SsfConfiguration', forAll, {
      configuration: {
        spec_version: '1_0',
        issuer,
        jwks_uri: `${issuer}/oauth/jwks`,
        delivery_methods_supported: ['urn:ietf:rfc:8935', 'urn:ietf:rfc:8936'],
        configuration_endpoint: `${issuer}/ssf/streams`,
        status_endpoint: `${issuer}/ssf/status`,
        verification_endpoint: `${issuer}/ssf/verify`,
        authorization_schemes: [{ spec_urn: 'urn:ietf:rfc:6749' }],
        default_subjects: 'ALL',
      },
    }),
    { status: 304, description: 'The same as before.', headers: forAll },
    ...problems([]),
  ],
});

/** With a path in the issuer, SSF 1.0 §7.2.1 puts the well-known part before it. */
export const ssfConfigurationPaths = (of: string) => {
  const own = new URL(of).pathname.replace(/\/$/, '');
  const known = '/.well-known/ssf-configuration';
  return Object.fromEntries(
    (own === '' ? [known] : [known, known + own]).map((url) => [url, openDocument(transmitter(url))]),
  );
};
