import { z } from 'zod';
import { allowableScopes, scopes as knownScopes } from '../../../domain/access/scope.ts';

/** Only scopes come from the domain, as they are public: lists that grow there must not grow here unnoticed. */
const id = (whose: string) => z.string().describe(`Opaque id of ${whose}.`);

export const organizationId = id('the organization');
export const addonId = id('the add-on; its client_id');
export const grantId = id('the grant; introspection returns it as grant_id');

export const at = z.iso.datetime().describe('When it was decided, RFC 3339 in UTC.');

export const time = (what: string) => z.iso.datetime().describe(`${what}, RFC 3339 in UTC.`);

export const epoch = z.int().min(0).describe('Activation epoch, from 1 on.');

export const scopes = z.array(z.enum(knownScopes)).describe('What may be read with it.');
export const allowedScopes = z.array(z.enum(allowableScopes));

const resource = 'resource indicators (RFC 8707)';

export const resources = z
  .array(z.string())
  .describe(
    `What it may be used at, as ${resource}. An empty list, like urn:grantbook:api in it: Grantbook's own lists.`,
  );

export const narrowedResources = z
  .array(z.string())
  .nullable()
  .describe(`What the access token is narrowed to, as ${resource}; null: all that the grant is for.`);

export const rotation = z
  .int()
  .min(0)
  .describe(
    "Which pair of tokens of the grant; the exchange's is 0. Introspection says both as jti: access.<grant_id>.<rotation>.",
  );

/** The subject whose records a grant opens. For a user's own grants it is the user: an opaque id, no name. */
export const subject = z
  .strictObject({
    kind: z.enum(['organization', 'user']),
    id: z.string().describe('Opaque id of the organization or of the user.'),
    epoch: z
      .int()
      .min(0)
      .describe(
        "An organization's: the activation epoch with which the grant ends. For a user's own records: the epoch of the consent with which it ends. Introspection returns it as grant_epoch.",
      ),
  })
  .describe('Whose records the grant opens.');

export const consentSubject = z
  .strictObject({
    kind: z.enum(['organization', 'user']),
    id: z.string().describe('Opaque id of the organization or of the user.'),
  })
  .describe("Whose records the consent is about; a user's own, or an organization's.");
