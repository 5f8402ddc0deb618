/** A public answer of the resource and admin API (RFC 9457). The key is the last part of its `type`. */
type Kind = { readonly status: number; readonly title: string };

/** Stable: clients compare `type`. Documented under `/problems/…`. */
export const problemKinds = {
  'invalid-parameters': { status: 400, title: 'Invalid parameter' },
  'malformed-request': { status: 400, title: 'The request cannot be read' },
  'token-missing': { status: 401, title: 'No access token was sent' },
  'token-unknown': { status: 401, title: 'Unknown access token' },
  'token-expired': { status: 401, title: 'The access token has expired' },
  'token-for-another-resource': { status: 401, title: 'The access token is for another resource' },
  'token-revoked': { status: 401, title: 'The access token has been revoked' },
  'addon-deactivated': { status: 401, title: 'The organization has deactivated the add-on' },
  'addon-suspended': { status: 401, title: 'The add-on is suspended' },
  'access-on-hold': {
    status: 401,
    title: 'Access is on hold until an operator resolves an unreadable event',
  },
  'insufficient-scope': { status: 403, title: 'The scope of the access token is insufficient' },
  'sign-in-required': { status: 401, title: 'Sign-in required' },
  'not-an-administrator': { status: 403, title: 'Only administrators of the organization may do this' },
  'not-an-operator': { status: 403, title: 'Only operators may do this' },
  'not-an-auditor': { status: 403, title: 'Only auditors of the organization may read this' },
  'administrator-token-unknown': { status: 401, title: 'Unknown administrator token' },
  'administrator-token-expired': { status: 401, title: 'The administrator token has expired' },
  'administrator-token-revoked': { status: 401, title: 'The administrator token was revoked' },
  'administrator-token-for-another-organization': {
    status: 403,
    title: 'The administrator token is for another organization',
  },
  'other-origin': { status: 403, title: 'The request came from another site' },
  'not-found': { status: 404, title: 'Not found' },
  'addon-unknown': { status: 404, title: 'Add-on not found' },
  'user-unknown': { status: 404, title: 'User not found' },
  'organization-unknown': { status: 404, title: 'Organization not found' },
  'signal-stream-unknown': { status: 404, title: 'Stream not found' },
  'signals-unknown': { status: 404, title: 'Signal stream not found' },
  'grant-unknown': { status: 404, title: 'Grant not found' },
  'never-activated': { status: 404, title: 'The add-on was never activated for this organization' },
  'signal-stream-exists': { status: 409, title: 'The add-on already has a stream' },
  'method-not-allowed': { status: 405, title: 'Method not allowed' },
  'configuration-url-missing': {
    status: 409,
    title: 'The add-on has no configuration URL, so it cannot act for an organization',
  },
  'organization-closed': {
    status: 409,
    title: 'The organization is closed, so no add-on can be activated for it',
  },
  'activation-refused-while-suspended': {
    status: 409,
    title: 'The add-on is suspended, so it cannot be activated',
  },
  'addon-retired': { status: 409, title: 'The add-on was retired, so it cannot be activated' },
  'event-unreadable': {
    status: 409,
    title: 'Its history contains an unreadable event; an operator must resolve it first',
  },
  'activated-too-often': { status: 429, title: 'The add-on was activated too often within a day' },
  'change-refused': { status: 409, title: 'The change was refused' },
  'changed-meanwhile': { status: 412, title: 'It was changed in the meantime, so nothing was done' },
  'too-large': { status: 413, title: 'The request is too large' },
  'headers-too-large': { status: 431, title: 'The header fields are too large' },
  'unsupported-media-type': { status: 415, title: 'Unsupported content type' },
  'unsupported-content-encoding': { status: 415, title: 'Unsupported content coding of the body' },
  'unsupported-transfer-encoding': {
    status: 501,
    title: 'Unsupported transfer coding of the body',
  },
  'expectation-failed': { status: 417, title: 'The expectation cannot be met' },
  'request-timeout': { status: 408, title: 'The request did not arrive in time' },
  'too-many-requests': { status: 429, title: 'Too many requests' },
  'internal-error': { status: 500, title: 'Internal error' },
  'temporarily-unavailable': { status: 503, title: 'The service is temporarily unavailable' },
} as const satisfies Record<string, Kind>;

export type ProblemKind = keyof typeof problemKinds;

/** In seconds, for answers with 503. */
export const retryAfter = '2';
