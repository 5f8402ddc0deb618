import { authorizeParameters } from '../contracts/authorize-parameters.ts';
import {
  backToAddon,
  json,
  limitedBy,
  neverTransformed,
  notKept,
  oauthErrors,
  page,
  pageTrouble,
  preflight,
} from '../openapi/answers.ts';
import type { Operation, Paths } from '../openapi/describe.ts';
import { clientId, organizationId, tokensExample, userId } from '../openapi/examples.ts';
import { tokenPermissions } from './token/token-cors.ts';
import { exposedLimits } from '../limits/rate-limits.ts';
import { always, like, sometimes, type HeaderUses } from '../openapi/headers.ts';

const authorize = {
  tag: 'Getting access',
  description:
    'Send the user’s browser here. The user signs in, and approves what is new; then the browser comes back to the redirect URI. Until `client_id` and `redirect_uri` are trusted, an error is shown to the user; every later one goes back to the redirect URI.\n\nAn organization’s administrator chooses whom the add-on acts for; right after activating it, it is that organization. `organization` and `subject` select it instead: a user who cannot decide for that subject gets a page that says why, and the add-on `access_denied`, whatever the reason; with `prompt=none` at once.',
  security: [],
  answers: [
    page(200, 'The sign-in page or the approval page.', { 'Retry-After': sometimes() }),
    page(403, 'The page that says why the user cannot decide for the subject that was asked for.'),
    backToAddon,
    ...pageTrouble,
    page(429, 'Too many requests of the add-on, in this network or with this session.', {
      'Retry-After': like('17'),
    }),
  ].map((answer) => ({ ...answer, headers: { ...answer.headers, ...limitedBy(['authorize', 6000]) } })),
} as const satisfies Partial<Operation>;

/** A browser may call only from registered origins (TK-11). */
const cors: HeaderUses = {
  'Access-Control-Allow-Origin': sometimes(),
  'Access-Control-Expose-Headers': sometimes(exposedLimits),
  Vary: sometimes('Origin'),
};

const limited = limitedBy(['token', 6000]);

const corsPreflight = (id: string, summary: string, more: HeaderUses = {}): Operation => ({
  id,
  tag: 'Getting access',
  summary,
  description: 'Browsers send it automatically. The origins of registered redirect URIs are allowed.',
  security: [],
  answers: [
    preflight({
      Allow: always('POST, OPTIONS'),
      Vary: always('Origin'),
      'Access-Control-Allow-Origin': sometimes(),
      'Access-Control-Allow-Methods': sometimes(tokenPermissions['Access-Control-Allow-Methods']),
      'Access-Control-Allow-Headers': sometimes(tokenPermissions['Access-Control-Allow-Headers']),
      'Access-Control-Max-Age': sometimes(tokenPermissions['Access-Control-Max-Age']),
      ...more,
    }),
  ],
});

const challenge: HeaderUses = { 'WWW-Authenticate': sometimes('Basic realm="grantbook", charset="UTF-8"') };
const demanded: HeaderUses = { 'WWW-Authenticate': always('Basic realm="grantbook", charset="UTF-8"') };

const token: Operation = {
  id: 'token',
  tag: 'Getting access',
  summary: 'Exchange a code, refresh, or take a token for the add-on itself',
  description:
    'A code works once, for the add-on, redirect URI and verifier that it was asked with. A refresh answers a new refresh token; the previous one works for a short time and returns the same pair, so that a lost answer can be requested again. An older one ends the whole grant.\n\nWith `client_credentials` a confidential add-on takes a token for itself, without being registered for it. It opens only Shared Signals, lives an hour at most, and ends with the secret that it was taken with, with the add-on, or when it is revoked; a suspension leaves it valid.\n\nThe parameters may also stand in the query, except `client_secret`; one that stands in both places was sent twice, and is refused.',
  security: ['client-basic', 'client-in-form'],
  form: 'TokenForm',
  answers: [
    json(
      200,
      'The tokens.',
      'Tokens',
      { ...notKept, ...neverTransformed, ...cors, ...limited, Location: sometimes() },
      { 'a pair of tokens': tokensExample },
      {
        refresh: {
          operation: 'token',
          description: 'A new pair, with the refresh token.',
          requestBody: { grant_type: 'refresh_token', refresh_token: '$response.body#/refresh_token' },
        },
        'look-into': {
          operation: 'introspect',
          description: 'Introspect the access token.',
          requestBody: { token: '$response.body#/access_token' },
        },
        'give-back': {
          operation: 'revoke',
          description: 'Ends the grant.',
          requestBody: { token: '$response.body#/refresh_token' },
        },
      },
    ),
    json(
      303,
      'The same to a browser that shows the answer of an exchange to a person (`Sec-Fetch-Mode: navigate`, without `Authorization`): it goes on to the redirect URI.',
      'Tokens',
      {
        ...notKept,
        ...neverTransformed,
        ...cors,
        ...limited,
        Location: like('https://addon.example/callback'),
      },
      { 'a pair of tokens': tokensExample },
    ),
    ...oauthErrors(
      {
        400: [
          'invalid_request',
          'invalid_grant',
          'unauthorized_client',
          'unsupported_grant_type',
          'invalid_scope',
          'invalid_target',
        ],
        401: ['invalid_client'],
        429: ['temporarily_unavailable'],
      },
      { ...cors, ...limited },
      challenge,
    ),
  ],
};

const revoke: Operation = {
  id: 'revoke',
  tag: 'Getting access',
  summary: 'Revoke a token',
  description:
    'A refresh token ends the grant with all its tokens, an access token only itself: for every request that begins after the answer. Unknown, expired and revoked tokens get the same answer.',
  security: ['client-basic', 'client-in-form'],
  form: 'PresentedToken',
  answers: [
    {
      status: 200,
      description: 'The token is not valid.',
      headers: { ...notKept, ...cors, ...limitedBy(['revoke', 6000]) },
    },
    ...oauthErrors(
      {
        400: ['invalid_request', 'invalid_grant'],
        401: ['invalid_client'],
        429: ['temporarily_unavailable'],
      },
      { ...cors, ...limitedBy(['revoke', 6000]) },
      challenge,
    ),
  ],
};

const introspect: Operation = {
  id: 'introspect',
  tag: 'Getting access',
  summary: 'Introspect a token',
  description:
    'For confidential add-ons, about their own tokens: every other token is inactive to them. A resource server learns about access tokens for it, and of an organization only the id. The answer for a token that the add-on took for itself names no grant.',
  security: ['client-basic', 'client-in-form'],
  form: 'PresentedToken',
  answers: [
    json(
      200,
      'What it stands for, at this moment.',
      'Introspection',
      { ...notKept, ...limitedBy(['introspect', 6000]) },
      {
        active: {
          active: true,
          scope: 'profiles:read',
          client_id: clientId,
          token_type: 'Bearer',
          exp: 1777626000,
          iat: 1777622400,
          sub: userId,
          aud: 'https://auth.example',
          iss: 'https://auth.example',
          jti: 'access.01JD3FB0M2N4P6Q8R0S2T4V6W8.0',
          grant_id: '01JD3FB0M2N4P6Q8R0S2T4V6W8',
          grant_epoch: 1,
          organization_id: organizationId,
          organization_name: 'Harbour Club',
          external_id: 'harbour-club',
          org_id: organizationId,
        },
        inactive: { active: false },
      },
    ),
    ...oauthErrors(
      { 400: ['invalid_request'], 401: ['invalid_client'], 429: ['temporarily_unavailable'] },
      limitedBy(['introspect', 6000]),
      demanded,
    ),
  ],
};

export const oauthPaths = {
  '/oauth/authorize': {
    GET: {
      id: 'authorize',
      summary: 'Ask for access',
      ...authorize,
      query: authorizeParameters,
    },
    POST: {
      id: 'authorize-by-form',
      summary: 'Ask for access, by a form',
      ...authorize,
      form: 'AuthorizationRequest',
    },
  },
  '/oauth/token': {
    POST: token,
    OPTIONS: corsPreflight('token-preflight', 'CORS preflight for the token endpoint', {
      'RateLimit-Policy': limited['RateLimit-Policy'],
    }),
  },
  '/oauth/revoke': {
    POST: revoke,
    OPTIONS: corsPreflight('revoke-preflight', 'CORS preflight for revocation'),
  },
  '/oauth/introspect': { POST: introspect },
} satisfies Paths;
