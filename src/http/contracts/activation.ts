import { z } from 'zod';
import { address, instant, ulid } from './fields.ts';

const ids = { organization_id: ulid(), client_id: ulid() };
const epoch = z
  .int()
  .min(0)
  .describe('Counts the activations: a token works only in the epoch that it is of.');
const position = z.string().meta({
  pattern: '^\\d+/\\d+$',
  description: 'Where in the log the event is: commit and prepare position.',
  examples: ['8231/8231'],
});
const liveGrants = z
  .int()
  .min(0)
  .describe('Connections: grants of this epoch whose code was exchanged and that nothing has ended.');
const unredeemedCodes = z
  .int()
  .min(0)
  .describe('Codes of this epoch that were given out and never exchanged, also those that have expired.');
const approvers = z.int().min(0).describe('People who approved the live grants.');
const status = z.enum(['never-activated', 'active', 'deactivated']);

export const organizationAddon = z
  .object({
    client_id: ulid(),
    name: z.string(),
    status,
    epoch,
    suspended: z.boolean().describe('By the operator, for all organizations.'),
    configuration_url: address().nullable().describe('`null`: it cannot be activated for an organization.'),
    activated_by: z.string().nullable(),
    activated_at: instant().nullable(),
    live_grants: liveGrants,
  })
  .describe('An add-on as an organization sees it.');

export const organizationAddons = z.object({ items: z.array(organizationAddon) });

export const activation = z
  .object({ ...ids, status, epoch })
  .describe('Whether an add-on may act for an organization.');

export const activated = z
  .object({
    ...ids,
    status: z.literal('active'),
    epoch,
    position,
    configuration_url: address().describe('Where the administrator goes next, with an opaque hint.'),
  })
  .describe('The add-on may act for the organization.');

export const deactivationReceipt = z
  .object({
    ...ids,
    status: z.literal('deactivated'),
    epoch,
    position,
    fenced_at: instant().describe('From this instant on every token of the epoch is refused.'),
    live_grants: liveGrants.nullable(),
    unredeemed_codes: unredeemedCodes.nullable(),
    approvers: approvers.nullable(),
  })
  .describe(
    'Proof that an add-on has lost all access to an organization. The numbers are what it ended, as far as the read models knew; `null` when that was not known in time.',
  );

export type OrganizationAddonItem = z.infer<typeof organizationAddon>;
export type Activation = z.infer<typeof activation>;
export type Activated = z.infer<typeof activated>;
export type DeactivationReceipt = z.infer<typeof deactivationReceipt>;
