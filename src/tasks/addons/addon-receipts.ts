import { z } from 'zod';
import { positionText } from '../../audit/timeline/position-text.ts';
import type { EndedGrants } from '../../commands/access/addon-grants.ts';
import type { Retirement } from '../../commands/addons/retire-addon.ts';
import { idOf } from '../answer-fields.ts';

/** What a retirement or a removal of scopes has ended. */
export const addonReceipt = z.object({
  organization_id: idOf('organization').nullable().describe('`null`: grants of users’ own records.'),
  client_id: idOf('addon'),
  epoch: z.int().optional().describe('Of a deactivation, like the next three.'),
  position: z.string().optional(),
  fenced_at: z.string().meta({ format: 'date-time' }).optional(),
  repeated: z.boolean().optional(),
  revoked_grants: z.int().optional().describe('Of grants that were revoked one by one and had not expired.'),
});

export type AddonReceipt = z.infer<typeof addonReceipt>;

export const scopeReceipts = (addonId: string, ended: readonly EndedGrants[]): readonly AddonReceipt[] =>
  ended.map(({ organizationId, grants }) => ({
    organization_id: organizationId,
    client_id: addonId,
    revoked_grants: grants,
  }));

export const retirementReceipts = (
  addonId: string,
  { receipts, ownGrants }: Retirement,
): readonly AddonReceipt[] => [
  ...receipts.map((receipt) => ({
    organization_id: receipt.organizationId,
    client_id: receipt.addonId,
    epoch: receipt.epoch,
    position: positionText(receipt.position),
    fenced_at: new Date(receipt.fencedAt).toISOString(),
    repeated: receipt.repeated,
  })),
  ...(ownGrants > 0 ? [{ organization_id: null, client_id: addonId, revoked_grants: ownGrants }] : []),
];
