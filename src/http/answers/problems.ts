import { english } from '../../common/words.ts';

/** The names are stable: clients compare `type`, which ends with one. Documented under `/problems/…`. */
const statuses = {
  'invalid-parameters': 400,
  'malformed-request': 400,
  'token-missing': 401,
  'token-unknown': 401,
  'token-expired': 401,
  'token-for-another-resource': 401,
  'token-revoked': 401,
  'addon-deactivated': 401,
  'addon-suspended': 401,
  'access-on-hold': 401,
  'insufficient-scope': 403,
  'sign-in-required': 401,
  'not-an-administrator': 403,
  'not-an-operator': 403,
  'not-a-publisher': 403,
  'not-an-auditor': 403,
  'administrator-token-unknown': 401,
  'administrator-token-expired': 401,
  'administrator-token-revoked': 401,
  'administrator-token-for-another-organization': 403,
  'other-origin': 403,
  'not-found': 404,
  'addon-unknown': 404,
  'user-unknown': 404,
  'organization-unknown': 404,
  'publisher-unknown': 404,
  'signal-stream-unknown': 404,
  'signals-unknown': 404,
  'expired-messages-unknown': 404,
  'grant-unknown': 404,
  'never-activated': 404,
  'signal-stream-exists': 409,
  'method-not-allowed': 405,
  'configuration-url-missing': 409,
  'organization-closed': 409,
  'activation-refused-while-suspended': 409,
  'addon-retired': 409,
  'event-unreadable': 409,
  'activated-too-often': 429,
  'change-refused': 409,
  'idempotency-key-running': 409,
  'idempotency-key-reused': 422,
  'name-ambiguous': 409,
  'sync-token-expired': 410,
  'changed-meanwhile': 412,
  'too-large': 413,
  'headers-too-large': 431,
  'unsupported-media-type': 415,
  'unsupported-content-encoding': 415,
  'unsupported-transfer-encoding': 501,
  'expectation-failed': 417,
  'request-timeout': 408,
  'too-many-requests': 429,
  'internal-error': 500,
  'temporarily-unavailable': 503,
} as const;

export type ProblemKind = keyof typeof statuses;

/** Public answers of the resource and admin API (RFC 9457). Each has texts in the catalogue; those of answers are in English. */
export const problemKinds = Object.fromEntries(
  Object.entries(statuses).map(([name, status]) => [
    name,
    { status, title: english.explanations.problems[name as ProblemKind].title },
  ]),
) as Readonly<Record<ProblemKind, { readonly status: number; readonly title: string }>>;

/** In seconds, for answers with 503. */
export const retryAfter = '2';
