import { positionText } from '../../audit/timeline/position-text.ts';
import type { DeactivationReceipt } from '../../commands/organizations/deactivate-addon.ts';
import type { LiveGrants } from '../../projections/read-models.ts';

/** The receipt of a deactivation, wherever it is answered; the counts are null where they are not known. */
export const presentReceipt = (
  { organizationId, addonId, epoch, position, fencedAt }: Omit<DeactivationReceipt, 'repeated'>,
  counted: LiveGrants | null,
) => ({
  organization_id: organizationId,
  client_id: addonId,
  status: 'deactivated' as const,
  epoch,
  position: positionText(position),
  fenced_at: new Date(fencedAt).toISOString(),
  live_grants: counted?.liveGrants ?? null,
  unredeemed_codes: counted?.unredeemedCodes ?? null,
  approvers: counted?.approvers ?? null,
});
