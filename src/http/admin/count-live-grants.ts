import type { ReadModels } from '../../projections/read-models.ts';

/**
 * Begins to count the grants that a deactivation is about to end, for its receipt (DE-06): beside the deactivation, never
 * in its way. As far as the read models know; RevocationCompleted tells the exact number later.
 * @returns the number, or null when it is not known in time, the read models are away, or they speak of another epoch
 */
export const beginCount = (
  readModels: Pick<ReadModels, 'countLiveGrants'>,
  organizationId: string,
  addonId: string,
): ((epoch: number, withinMs: number) => Promise<number | null>) => {
  const counting = readModels.countLiveGrants(organizationId, addonId).catch(() => null);
  return async (epoch, withinMs) => {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<null>((resolve) => (timer = setTimeout(resolve, withinMs, null)));
    const counted = await Promise.race([counting, late]).finally(() => clearTimeout(timer));
    return counted?.epoch === epoch ? counted.grants : null;
  };
};
