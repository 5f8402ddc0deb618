import type { AnswerName } from '../contracts/components.ts';
import type { TokenErrorCode } from '../contracts/token.ts';
import { problemKinds, retryAfter, type ProblemKind } from '../answers/problems.ts';
import type { Answer, Link } from './describe.ts';
import { always, like, maybeLike, sometimes, type HeaderUses } from './headers.ts';

export const json = (
  status: number,
  description: string,
  schema: AnswerName,
  headers: HeaderUses,
  examples: Readonly<Record<string, unknown>>,
  links: Readonly<Record<string, Link>> = {},
): Answer => ({ status, description, headers, body: { kind: 'json', schema, examples }, links });

export const noStore: HeaderUses = { 'Cache-Control': always('no-store') };
const again: HeaderUses = { 'Retry-After': always(retryAfter) };

/** Problem answers by status. @param headers of all, e.g. CORS @param byStatus of one status */
export const problems = (
  kinds: readonly ProblemKind[],
  headers: HeaderUses = {},
  byStatus: Readonly<Record<number, HeaderUses>> = {},
): readonly Answer[] => {
  const all = [...kinds, 'internal-error', 'temporarily-unavailable'] as const;
  const statuses = [...new Set(all.map((kind) => problemKinds[kind].status))].sort((a, b) => a - b);
  return statuses.map((status): Answer => {
    const ofStatus = all.filter((kind) => problemKinds[kind].status === status);
    return {
      status,
      description: ofStatus.map((kind) => `${problemKinds[kind].title}.`).join(' '),
      headers: {
        ...noStore,
        ...(status === 503 && again),
        ...(status === 429 && { 'Retry-After': like('17') }),
        ...headers,
        ...byStatus[status],
      },
      body: { kind: 'problem', problems: ofStatus },
    };
  });
};

/** The challenge for a missing or bad token (RFC 6750 §3). */
export const bearerChallenge: HeaderUses = {
  'WWW-Authenticate': like('Bearer realm="grantbook", error="invalid_token"'),
};

/** Why a request is refused that needs an administrator token, or a session. */
export const administratorRefusals = [
  'invalid-parameters',
  'sign-in-required',
  'administrator-token-unknown',
  'administrator-token-expired',
  'administrator-token-revoked',
  'administrator-token-for-another-organization',
] as const satisfies readonly ProblemKind[];

/** Problem answers to such a request: those to a bad token also describe the error in a header (RFC 6750 §3). */
export const administratorProblems = (
  kinds: readonly ProblemKind[],
  byStatus: Readonly<Record<number, HeaderUses>> = {},
): readonly Answer[] =>
  problems(kinds, {}, { 401: bearerChallenge, 403: { 'WWW-Authenticate': sometimes() }, ...byStatus });

/** For every answer of an endpoint with rate limits. */
export const limitedBy = (...policies: readonly (readonly [name: string, quota: number])[]) => ({
  'RateLimit-Policy': maybeLike(policies.map(([name, quota]) => `"${name}";q=${quota};w=60`).join(', ')),
  RateLimit: maybeLike(policies.map(([name, quota]) => `"${name}";r=${quota - 1};t=60`).join(', ')),
});

/** For everything that takes an access token. */
export const limitedByBearer = limitedBy(['activation', 600], ['addon', 6000]);

/** Problems of any request with an access token (LI-10). */
export const bearerProblems = [
  'token-missing',
  'token-unknown',
  'token-expired',
  'token-revoked',
  'token-for-another-resource',
  'addon-deactivated',
  'addon-suspended',
  'access-on-hold',
  'insufficient-scope',
  'too-many-requests',
] as const satisfies readonly ProblemKind[];

export const notKept: HeaderUses = { 'Cache-Control': always('no-store'), Pragma: always('no-cache') };

/** For answers that contain tokens (DO-06). */
export const neverTransformed: HeaderUses = { 'Cache-Control': always('no-store, no-transform') };

const oauthStatuses: Readonly<Record<number, string>> = {
  400: 'Refused.',
  401: 'Client authentication failed.',
  413: 'The body is too large.',
  429: 'Too many attempts.',
  500: 'Internal error.',
  503: 'The service is temporarily unavailable.',
};

/** Error answers of an OAuth endpoint by status (RFC 6749 §5.2); too large, 500 and 503 are added automatically. */
export const oauthErrors = (
  byStatus: Readonly<Record<number, readonly TokenErrorCode[]>>,
  headers: HeaderUses = {},
  ofUnauthorized: HeaderUses = {},
): readonly Answer[] =>
  Object.entries({
    ...byStatus,
    413: ['invalid_request'],
    500: ['server_error'],
    503: ['temporarily_unavailable'],
  } as const).map(([key, errors]): Answer => {
    const status = Number(key);
    return {
      status,
      description: oauthStatuses[status] ?? '',
      headers: {
        ...notKept,
        ...headers,
        ...(status === 401 && ofUnauthorized),
        ...((status === 503 || status === 429) && { 'Retry-After': always() }),
      },
      body: { kind: 'oauth-error', errors },
    };
  });

/** Headers of every answer to a browser: pages, and redirects between them (AZ-08). */
export const pageHeaders: HeaderUses = {
  'Cache-Control': always(),
  'Content-Security-Policy': always(),
  'X-Frame-Options': always('DENY'),
  'Referrer-Policy': always('no-referrer'),
  'X-Content-Type-Options': always('nosniff'),
  'Cross-Origin-Resource-Policy': always('same-origin'),
  'Permissions-Policy': always(),
  'Set-Cookie': sometimes(),
};

export const page = (status: number, description: string, headers: HeaderUses = {}): Answer => ({
  status,
  description,
  headers: { ...pageHeaders, 'Cross-Origin-Opener-Policy': sometimes('same-origin'), ...headers },
  body: { kind: 'page' },
});

export const pageTrouble: readonly Answer[] = [
  page(400, 'The request cannot be read, or the form is not ours, too old or used.'),
  page(413, 'The form is too large.'),
  page(415, 'The form is not form-encoded.'),
  page(500, 'Internal error.'),
  page(503, 'The service is temporarily unavailable.', { 'Retry-After': always(retryAfter) }),
];

export const goOn = (description: string, example: string): Answer => ({
  status: 303,
  description,
  headers: { ...pageHeaders, Location: like(example) },
});

/** Back to the add-on: with a code, or with an error (AZ-24, AZ-50). */
export const backToAddon: Answer = {
  status: 303,
  description:
    'Back to the redirect URI, with `code`, `state` and `iss`, or with `error`, `error_description`, `state` and `iss`.',
  headers: {
    ...pageHeaders,
    Location: like(
      'https://addon.example/callback?code=mkt_code_…&state=af0ifjsldkj&iss=https%3A%2F%2Fauth.example',
    ),
    'Retry-After': sometimes(),
  },
};

/** The answer to a CORS preflight (Fetch §4.8). */
export const preflight = (headers: HeaderUses): Answer => ({
  status: 204,
  description: 'The CORS permissions.',
  headers,
});
