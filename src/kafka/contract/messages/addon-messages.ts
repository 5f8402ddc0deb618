import { z } from 'zod';
import { addonId, allowedScopes, at } from './fields.ts';
import { message } from './message-contract.ts';

const identity = { addon_id: addonId };

export const addonMessages = {
  AddonRegistered: message({
    type: 'grantbook.addon.registered.v1',
    identity: 'addon',
    topic: 'addons',
    summary: 'An add-on was registered.',
    data: z.strictObject({
      ...identity,
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
  }),
  AddonSuspended: message({
    type: 'grantbook.addon.suspended.v1',
    identity: 'addon',
    topic: 'addons',
    summary: 'The add-on may do nothing until it is resumed: its tokens are refused, but not revoked.',
    data: z.strictObject({ ...identity, at }),
  }),
  AddonResumed: message({
    type: 'grantbook.addon.resumed.v1',
    identity: 'addon',
    topic: 'addons',
    summary: 'The suspension was lifted: what was valid before and has not expired works again.',
    data: z.strictObject({ ...identity, at }),
  }),
  AddonUpdated: message({
    type: 'grantbook.addon.updated.v1',
    identity: 'addon',
    topic: 'addons',
    summary: 'An operator changed the add-on. Its grants stay as they are.',
    data: z.strictObject({
      ...identity,
      allowed_scopes: allowedScopes
        .nullable()
        .describe('The most that it may ask for from now on; null: as before.'),
      at,
    }),
  }),
  AddonPropertiesReplaced: message({
    type: 'grantbook.addon.properties-replaced.v1',
    identity: 'addon',
    topic: 'addons',
    summary: 'An operator replaced or removed properties of the add-on. Its grants stay as they are.',
    data: z.strictObject({
      ...identity,
      audiences: z
        .array(z.string())
        .nullable()
        .describe('Resource indicators (RFC 8707) that it answers for from now on; null: as before.'),
      at,
    }),
  }),
  AddonRetired: message({
    type: 'grantbook.addon.retired.v1',
    identity: 'addon',
    topic: 'addons',
    summary: 'The add-on was retired: its tokens are refused, and its activations and grants end.',
    data: z.strictObject({ ...identity, at }),
  }),
};
