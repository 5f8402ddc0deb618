import { withTimeoutOrNull } from '../../common/with-timeout.ts';
import type { LiveGrants, ReadModels } from '../read-models.ts';

export type CountLiveGrants = (
  organizationId: string,
  addonId: string,
) => Promise<(LiveGrants & { readonly epoch: number }) | null>;

/** Waits only as long as its caller allows: counting must not delay a deactivation. */
export const beginCount =
  (count: CountLiveGrants): ReadModels['beginCount'] =>
  (organizationId, addonId) => {
    const counting = count(organizationId, addonId).catch(() => null);
    return async (epoch, withinMs) => {
      const counted = await withTimeoutOrNull(withinMs, counting);
      if (counted?.epoch !== epoch) return null;
      const { liveGrants, unredeemedCodes, approvers } = counted;
      return { liveGrants, unredeemedCodes, approvers };
    };
  };
