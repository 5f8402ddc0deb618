import { z } from 'zod';
import { addonId, allowedScopes, at } from './fields.ts';
import { messagesOf } from './message-contract.ts';

const ofAddon = messagesOf('addon', 'addons', { addon_id: addonId });

export const addonMessages = {
  AddonRegistered: ofAddon('grantbook.addon.registered.v1', 'An add-on was registered.', {
    allowed_scopes: allowedScopes.describe('The most that it may ask for.'),
    confidential: z.boolean().describe('Whether it authenticates with a secret.'),
    grant_types: z
      .array(z.enum(['authorization_code', 'refresh_token']))
      .describe('What it may use at the token endpoint; none: it only introspects.'),
    audiences: z
      .array(z.string())
      .describe('Resource indicators (RFC 8707) that it answers for as a resource server.'),
    at,
  }),
  AddonSuspended: ofAddon(
    'grantbook.addon.suspended.v1',
    'The add-on may do nothing until it is resumed: its tokens are refused, but not revoked.',
    { at },
  ),
  AddonResumed: ofAddon(
    'grantbook.addon.resumed.v1',
    'The suspension was lifted: what was valid before and has not expired works again.',
    { at },
  ),
  AddonUpdated: ofAddon(
    'grantbook.addon.updated.v1',
    'An operator changed the add-on. Its grants stay as they are.',
    {
      allowed_scopes: allowedScopes
        .nullable()
        .describe('The most that it may ask for from now on; null: as before.'),
      at,
    },
  ),
  AddonPropertiesReplaced: ofAddon(
    'grantbook.addon.properties-replaced.v1',
    'An operator replaced or removed properties of the add-on. Its grants stay as they are.',
    {
      audiences: z
        .array(z.string())
        .nullable()
        .describe('Resource indicators (RFC 8707) that it answers for from now on; null: as before.'),
      at,
    },
  ),
  AddonRetired: ofAddon(
    'grantbook.addon.retired.v1',
    'The add-on was retired: its tokens are refused, and its activations and grants end.',
    { at },
  ),
};
