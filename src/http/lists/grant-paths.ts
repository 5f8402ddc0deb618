import { preflightOf } from '../requests/cors.ts';
import {
  bearerChallenge,
  bearerProblems,
  json,
  limitedByBearer,
  notKept,
  problems,
} from '../openapi/answers.ts';
import type { Operation, Paths } from '../openapi/describe.ts';
import { clientId, organizationId, userId } from '../openapi/examples.ts';
import { listPreflight } from './list-cors.ts';
import { anywhere, mostly } from './list-paths.ts';

const example = {
  grant_id: '01JD3FB0M2N4P6Q8R0S2T4V6W8',
  client_id: clientId,
  subject: { type: 'organization', id: organizationId, name: 'Harbour Club', external_id: 'harbour-club' },
  scopes: ['profiles:read', 'reservations:read'],
  resources: ['https://auth.example'],
  issued_at: '2026-05-01T08:00:00.000Z',
  expires_at: '2026-05-01T09:00:00.000Z',
  links: { profiles: 'https://auth.example/profiles', reservations: 'https://auth.example/reservations' },
};

const grant: Operation = {
  id: 'grant',
  tag: 'Lists',
  summary: 'Find out what an access token is for',
  description:
    'For any access token of a grant: whose records it opens, which lists, and until when. It counts towards the rate limits, and not as a read. A token that the add-on took for itself is of no grant.',
  security: ['access-token'],
  answers: [
    json(
      200,
      'What the token is for.',
      'Grant',
      { ...notKept, ...anywhere, ...limitedByBearer },
      {
        'an organization’s': example,
        'a user’s own, without `profile`': {
          ...example,
          subject: { type: 'user', id: userId },
          scopes: ['profiles:read'],
          links: { profiles: 'https://auth.example/profiles' },
        },
      },
    ),
    ...problems(['invalid-parameters', ...bearerProblems], mostly, {
      401: bearerChallenge,
      403: bearerChallenge,
    }),
  ],
};

export const grantPaths = {
  '/grant': {
    GET: grant,
    OPTIONS: preflightOf({
      id: 'grant-preflight',
      tag: 'Lists',
      summary: 'CORS preflight for the description of a token',
      methods: listPreflight[0],
      headers: listPreflight[1],
      more: { 'RateLimit-Policy': limitedByBearer['RateLimit-Policy'] },
    }),
  },
} satisfies Paths;
