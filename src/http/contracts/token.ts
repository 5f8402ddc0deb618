import { z } from 'zod';
import { organizationNames, scopeList, seconds, signalScopeList, tokenOrganization, ulid } from './fields.ts';

export const tokenAnswer = z
  .object({
    access_token: z.string().meta({ pattern: '^mkt_at_[A-Za-z0-9_-]+$' }),
    token_type: z.literal('Bearer'),
    expires: z.int().min(1).describe('Lifetime of the access token in seconds.'),
    expires_in: z.int().min(1).describe('The same, under the name of RFC 6749.'),
    refresh_token: z.string().optional().meta({
      pattern: '^mkt_rt_[A-Za-z0-9_-]+$',
      description:
        'For the next refresh: each refresh returns a new one, which replaces it. Absent for an add-on that may not refresh, and with `client_credentials`.',
    }),
    scope: scopeList().describe(
      'Scopes between spaces: those of `/oauth/authorize`, or with `client_credentials` `ssf.read` and `ssf.manage`.',
    ),
    organization_id: tokenOrganization(),
    id_token: z
      .string()
      .optional()
      .describe('A JWT that says who signed in, with the same `organization_id`; when `openid` was granted.'),
  })
  .describe('An access token and what renews it (RFC 6749 §5.1).');

export type TokenAnswerBody = z.infer<typeof tokenAnswer>;

/** The codes of RFC 6749 §5.2, and two for failures that are not the client's fault (G-07). */
export const tokenErrorCodes = {
  invalid_request: 'A parameter is missing, repeated or malformed.',
  invalid_client: 'Unknown client, or missing or invalid client authentication.',
  invalid_grant:
    'The code or refresh token is unknown, expired, used or revoked, its proof is wrong, or the add-on was deactivated. One that was used before can end all tokens of its grant. Start again at `/oauth/authorize`.',
  unauthorized_client: 'The add-on is not registered for this, or suspended for now.',
  unsupported_grant_type: '`grant_type` is not supported.',
  invalid_scope:
    '`scope` exceeds what was granted, or what `client_credentials` gives. The refresh token still works.',
  invalid_target: '`resource` names what was not granted. The code or refresh token still works.',
  temporarily_unavailable:
    'Try again after the number of seconds in `Retry-After`. With 429, too many requests, nothing was done. With 503 the outcome is unknown: if the code is refused then, it was already exchanged, and the flow starts again at `/oauth/authorize`.',
  server_error: 'The fault is on our side.',
} as const;

export type TokenErrorCode = keyof typeof tokenErrorCodes;

export const tokenError = z
  .object({
    error: z.enum(Object.keys(tokenErrorCodes) as [TokenErrorCode, ...TokenErrorCode[]]),
    error_description: z
      .string()
      .meta({ pattern: '^[\\x20-\\x21\\x23-\\x5B\\x5D-\\x7E]*$' })
      .describe('For the developer: names what is wrong, never repeats what was sent.'),
  })
  .describe('Why a request to an OAuth endpoint was refused (RFC 6749 §5.2).');

export type TokenErrorBody = z.infer<typeof tokenError>;

export const inactiveToken = z
  .object({ active: z.literal(false) })
  .describe('Unknown, expired, revoked, or of another client; not distinguished.');

export const activeToken = z
  .object({
    active: z.literal(true),
    scope: scopeList(),
    client_id: ulid(),
    token_type: z.enum(['Bearer', 'refresh_token']),
    exp: seconds().describe('When it expires, in seconds since 1970.'),
    iat: seconds(),
    sub: ulid().describe('The user who allowed it.'),
    aud: z
      .union([z.string(), z.array(z.string())])
      .describe('What it may be used at (RFC 8707): this API’s address, or the resources asked for.'),
    iss: z.string(),
    jti: z
      .string()
      .describe(
        'Names this token: `access.` or `refresh.`, then `grant_id`, a dot, and which pair of the grant it is of.',
      ),
    grant_id: ulid().describe('The id of the grant: its tokens end together. Kafka messages contain it.'),
    grant_epoch: z
      .int()
      .min(0)
      .describe(
        'With `org_id`: the activation epoch with which it ends, from 1. Without: the epoch of the consent with which it ends.',
      ),
    organization_id: tokenOrganization(),
    ...organizationNames(),
    org_id: ulid().optional().describe('The same as `organization_id`.'),
  })
  .describe('The current state of a token.');

export const activeOwnToken = z
  .object({
    active: z.literal(true),
    scope: signalScopeList(),
    client_id: ulid(),
    token_type: z.literal('Bearer'),
    exp: seconds().describe('When it expires, in seconds since 1970.'),
    iat: seconds(),
    sub: ulid().describe(
      'The add-on: the same as `client_id` (RFC 9068 §2.2), so that nobody takes it for a user.',
    ),
    aud: z.string().describe('This API’s address.'),
    iss: z.string(),
    jti: z.string().describe('Names this token: `addon.`, then its id.'),
  })
  .describe('The current state of a token that an add-on took for itself.');

export const introspection = z
  .union([activeToken, activeOwnToken, inactiveToken])
  .describe('What a token stands for (RFC 7662 §2.2).');

export type IntrospectionBody = z.infer<typeof introspection>;
