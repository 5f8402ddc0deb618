/** A public answer of the resource and admin API (RFC 9457). The key is the last part of its `type`. */
type Kind = { readonly status: number; readonly title: string };

const kind = (status: number, title: string): Kind => ({ status, title });

/** Stable: clients compare `type`. Documented under `/problems/…`. */
export const problemKinds = {
  'invalid-parameters': kind(400, 'Invalid parameter'),
  'malformed-request': kind(400, 'The request cannot be read'),
  'token-missing': kind(401, 'No access token was sent'),
  'token-unknown': kind(401, 'Unknown access token'),
  'token-expired': kind(401, 'The access token has expired'),
  'token-for-another-resource': kind(401, 'The access token is for another resource'),
  'token-revoked': kind(401, 'The access token has been revoked'),
  'addon-deactivated': kind(401, 'The organization has deactivated the add-on'),
  'addon-suspended': kind(401, 'The add-on is suspended'),
  'access-on-hold': kind(401, 'Access is on hold until an operator resolves an unreadable event'),
  'insufficient-scope': kind(403, 'The scope of the access token is insufficient'),
  'sign-in-required': kind(401, 'Sign-in required'),
  'not-an-administrator': kind(403, 'Only administrators of the organization may do this'),
  'not-an-operator': kind(403, 'Only operators may do this'),
  'not-a-publisher': kind(403, 'Only members of a publisher may do this'),
  'not-an-auditor': kind(403, 'Only auditors of the organization may read this'),
  'administrator-token-unknown': kind(401, 'Unknown administrator token'),
  'administrator-token-expired': kind(401, 'The administrator token has expired'),
  'administrator-token-revoked': kind(401, 'The administrator token was revoked'),
  'administrator-token-for-another-organization': kind(
    403,
    'The administrator token is for another organization',
  ),
  'other-origin': kind(403, 'The request came from another site'),
  'not-found': kind(404, 'Not found'),
  'addon-unknown': kind(404, 'Add-on not found'),
  'user-unknown': kind(404, 'User not found'),
  'organization-unknown': kind(404, 'Organization not found'),
  'publisher-unknown': kind(404, 'Publisher not found'),
  'signal-stream-unknown': kind(404, 'Stream not found'),
  'signals-unknown': kind(404, 'Signal stream not found'),
  'expired-messages-unknown': kind(404, 'Kind of records not found'),
  'grant-unknown': kind(404, 'Grant not found'),
  'never-activated': kind(404, 'The add-on was never activated for this organization'),
  'signal-stream-exists': kind(409, 'The add-on already has a stream'),
  'method-not-allowed': kind(405, 'Method not allowed'),
  'configuration-url-missing': kind(
    409,
    'The add-on has no configuration URL, so it cannot act for an organization',
  ),
  'organization-closed': kind(409, 'The organization is closed, so no add-on can be activated for it'),
  'activation-refused-while-suspended': kind(409, 'The add-on is suspended, so it cannot be activated'),
  'addon-retired': kind(409, 'The add-on was retired, so it cannot be activated'),
  'event-unreadable': kind(
    409,
    'Its history contains an unreadable event; an operator must resolve it first',
  ),
  'activated-too-often': kind(429, 'The add-on was activated too often within a day'),
  'change-refused': kind(409, 'The change was refused'),
  'idempotency-key-running': kind(409, 'A request with this Idempotency-Key has no answer yet'),
  'idempotency-key-reused': kind(422, 'The Idempotency-Key was used for another request'),
  'name-ambiguous': kind(409, 'Several things have this name'),
  'sync-token-expired': kind(410, 'The sync token has expired'),
  'changed-meanwhile': kind(412, 'It was changed in the meantime, so nothing was done'),
  'too-large': kind(413, 'The request is too large'),
  'headers-too-large': kind(431, 'The header fields are too large'),
  'unsupported-media-type': kind(415, 'Unsupported content type'),
  'unsupported-content-encoding': kind(415, 'Unsupported content coding of the body'),
  'unsupported-transfer-encoding': kind(501, 'Unsupported transfer coding of the body'),
  'expectation-failed': kind(417, 'The expectation cannot be met'),
  'request-timeout': kind(408, 'The request did not arrive in time'),
  'too-many-requests': kind(429, 'Too many requests'),
  'internal-error': kind(500, 'Internal error'),
  'temporarily-unavailable': kind(503, 'The service is temporarily unavailable'),
} satisfies Record<string, Kind>;

export type ProblemKind = keyof typeof problemKinds;

/** In seconds, for answers with 503. */
export const retryAfter = '2';
