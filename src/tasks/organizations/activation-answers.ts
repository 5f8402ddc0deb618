import { z } from 'zod';
import { scopes } from '../../domain/access/scope.ts';
import { idOf, instant, nameOf, shown, state, uri as address, ulid } from '../answer-fields.ts';

const ids = {
  organization_id: shown(ulid(), { names: 'organization' }),
  client_id: shown(ulid(), { names: 'addon' }),
};
const epoch = shown(z.int().min(0), { from: 'l' }).describe(
  'Counts the activations: a token is only valid in its own epoch.',
);
const position = shown(z.string(), { from: 'l' }).meta({
  pattern: '^\\d+/\\d+$',
  description: 'Where in the log the event is: commit and prepare position.',
  examples: ['8231/8231'],
});
const liveGrants = shown(z.int().min(0), { from: 'm' }).describe(
  'Live grants of this epoch: code exchanged, not revoked, not expired.',
);
const unredeemedCodes = z.int().min(0).describe('Codes of this epoch that can still be exchanged.');
const approvers = z.int().min(0).describe('People who approved the live grants.');
const status = state(['never-activated', 'active', 'deactivated'], { active: 'good' });

const scopeList = shown(z.array(z.enum(scopes)), { as: 'scopes', from: 'l' });
const grantedScopes = scopeList.describe('The scopes of all live grants.');
const lastTokenAt = shown(instant(), { from: 'l' })
  .nullable()
  .describe('When it last got a token in this epoch. It may have used that token until it expired.');
const actor = idOf('user').nullable().describe('The id of a user, or `break-glass`.');

const registered = {
  name: nameOf(),
  suspended: shown(z.boolean(), { as: 'standing', label: 'state' }).describe(
    'By the operator, for all organizations.',
  ),
  retired: shown(z.boolean(), { isRepeated: true }).describe('Retired: permanently ended by the operator.'),
  configuration_url: address().nullable().describe('`null`: it cannot be activated for an organization.'),
  allowed_scopes: scopeList.describe('What it may ask for.'),
};
const acted = {
  activated_by: actor,
  activated_at: instant().nullable(),
  deactivated_by: actor,
  deactivated_at: instant().nullable(),
  revocation: z
    .object({
      completed: z.boolean().describe('Whether the log has a `GrantRevoked` for every grant of the epoch.'),
      grants: z.int().min(0).nullable().describe('How many there are; `null` before it is complete.'),
    })
    .nullable()
    .describe(
      'Progress of writing the revocation events after a deactivation has answered; `null` while active.',
    ),
};

export const organizationAddon = z
  .object({
    client_id: ids.client_id,
    status,
    epoch,
    ...registered,
    ...acted,
    live_grants: liveGrants,
    unredeemed_codes: unredeemedCodes,
    approvers,
    scopes: grantedScopes,
    last_token_at: lastTokenAt,
  })
  .describe(
    'An add-on as an organization sees it. Its status and epoch are never older than an answer that was given; the rest is from the read models, which may be a moment behind.',
  );

export const organizationAddons = z.object({ items: z.array(organizationAddon) });

const approval = z
  .object({
    user_id: shown(ulid(), { names: 'user' }),
    name: z.string().nullable(),
    scopes: scopeList.describe('All approved scopes, including those of ended grants.'),
    live_grants: liveGrants,
    unredeemed_codes: unredeemedCodes,
    last_token_at: lastTokenAt,
  })
  .describe('What one person approved for the organization.');

export const activation = z
  .object({
    ...ids,
    status,
    epoch,
    ...registered,
    ...acted,
    live_grants: liveGrants.nullable(),
    unredeemed_codes: unredeemedCodes.nullable(),
    approvers: approvers.nullable(),
    scopes: grantedScopes.nullable(),
    last_token_at: lastTokenAt,
    approvals: z
      .array(approval)
      .nullable()
      .describe('In this epoch, the one that was used last first; at most 100.'),
  })
  .describe(
    'An add-on and its activation for an organization. `live_grants`, `unredeemed_codes`, `approvers`, `scopes`, `last_token_at` and `approvals` are from the read models: they may be a moment behind, and `null` if those are unavailable or do not know the epoch yet. Everything else is from the log, and never older than an answer that was given; only what was registered, and the suspension, may be 5 seconds old.',
  );

export const activated = z
  .object({
    ...ids,
    status: shown(z.literal('active'), { as: 'state', tones: { active: 'good' } }),
    epoch,
    position,
    configuration_url: address().describe(
      'Where the administrator goes next, with an opaque `activation_hint` and the `organization`.',
    ),
  })
  .describe('The add-on may act for the organization.');

export const deactivationReceipt = z
  .object({
    ...ids,
    status: shown(z.literal('deactivated'), { as: 'state' }),
    epoch,
    position,
    fenced_at: instant().describe('Since this instant at the latest, all tokens of the epoch are refused.'),
    live_grants: liveGrants.nullable(),
    unredeemed_codes: unredeemedCodes.nullable(),
    approvers: approvers.nullable(),
  })
  .describe(
    'Proof that an add-on has lost all access to an organization. The counts are what it ended, according to the read models; `null` when not known in time, or when it was already deactivated: then see `revocation.grants` of the activation.',
  );

export type OrganizationAddonItem = z.infer<typeof organizationAddon>;
export type Activation = z.infer<typeof activation>;
export type Activated = z.infer<typeof activated>;
export type DeactivationReceipt = z.infer<typeof deactivationReceipt>;
