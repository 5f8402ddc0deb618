import { bearerChallenge, json, limitedBy, problems } from '../openapi/answers.ts';
import type { Operation, Paths } from '../openapi/describe.ts';
import { always } from '../openapi/headers.ts';

const limited = limitedBy(['signals', 6000]);

const poll: Operation = {
  id: 'poll-signals',
  tag: 'Shared Signals',
  summary: 'Take what the add-on is told',
  description:
    'RFC 8936. The answer comes as soon as there is a SET, and after 30 seconds at the latest. What is acknowledged is gone before the answer; of one organization or user the next SET is offered only then. What is not acknowledged is offered again, with the same `jti`. A paused or disabled stream offers nothing. At most 60 bodies a minute may be longer than 16,384 characters.',
  security: ['ssf.read', 'ssf.manage'],
  json: 'PollForm',
  answers: [
    json(
      200,
      'What the stream offers.',
      'PollAnswer',
      { 'Cache-Control': always('no-store'), ...limited },
      {
        'a SET': {
          sets: {
            '01JD3FB0M2N4P6Q8R0S2T4V6W8':
              'eyJhbGciOiJSUzI1NiIsInR5cCI6InNlY2V2ZW50K2p3dCJ9.eyJpc3MiOiJodH….Zx4…',
          },
          moreAvailable: true,
        },
        'nothing new': { sets: {} },
      },
    ),
    ...problems(
      [
        'invalid-parameters',
        'malformed-request',
        'token-missing',
        'token-unknown',
        'token-expired',
        'token-revoked',
        'insufficient-scope',
        'signal-stream-unknown',
        'too-large',
        'unsupported-media-type',
        'too-many-requests',
      ],
      limited,
      { 401: bearerChallenge, 403: bearerChallenge },
    ),
  ],
};

/** Delivery by poll. */
export const pollPaths = { '/ssf/poll/{stream_id}': { POST: poll } } satisfies Paths;
