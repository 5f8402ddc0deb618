import type { CommandContext } from '../../commands/kernel/context.ts';
import { comparePositions, type Position } from '../../eventstore/event-store.ts';
import { presentReceipt } from './deactivation-receipt.ts';
import { actorOf } from '../actor-of.ts';
import type { Services } from '../task.ts';

/** The counts are null where they are not known any more. */
export type ClosingReceipt = ReturnType<typeof presentReceipt>;

export type Closed =
  | {
      readonly ok: true;
      readonly changed: boolean;
      readonly receipts: readonly ClosingReceipt[];
      /** Whether each deactivation has its receipt here. */
      readonly isComplete: boolean;
      readonly position: Position;
    }
  | { readonly ok: false; readonly refusal: 'organization-unknown' };

/** How long the answer waits for the read models, and for each count, in milliseconds. */
const patienceMs = 1_000;

/**
 * Closes an organization, which ends all access at once, and deactivates its add-ons, each with its receipt (ADR 104). What fails after the
 * closing is left to the reaction, which reports it; a repeat answers the same receipts.
 */
export const closeOrganization = async (
  services: Services,
  organizationId: string,
  context: CommandContext,
): Promise<Closed> => {
  const counts = beginCounts(services, organizationId);
  const outcome = await services.commands.closeOrganization({ organizationId }, context);
  if (!outcome.ok) return { ok: false, refusal: outcome.refusal };
  const { changed, closedAt } = outcome.value;
  const receipts: ClosingReceipt[] = [];
  let position: Position = closedAt;
  const deactivate = async (addonId: string) => {
    const request = { organizationId, addonId, ...actorOf(context) };
    const done = await services.commands.deactivateAddon(request, context);
    if (!done.ok || comparePositions(done.value.position, closedAt) < 0) return;
    if (comparePositions(done.value.position, position) > 0) position = done.value.position;
    const count = changed || !done.value.repeated ? (await counts).get(addonId) : undefined;
    receipts.push(presentReceipt(done.value, (await count?.(done.value.epoch, patienceMs)) ?? null));
  };
  const isComplete = await endActivations(services, organizationId, closedAt, deactivate);
  return { ok: true, changed, receipts, isComplete, position };
};

const endActivations = async (
  { readModels }: Services,
  organizationId: string,
  closedAt: Position,
  deactivate: (addonId: string) => Promise<void>,
): Promise<boolean> => {
  try {
    if (!(await readModels.waitFor(closedAt, patienceMs))) return false;
    for (const addonId of await readModels.addonsActivatedFor(organizationId)) await deactivate(addonId);
    return true;
  } catch {
    return false;
  }
};

/** Before the closing: afterwards the reaction ends the grants. It does not delay the closing, and need not succeed. */
const beginCounts = async ({ readModels }: Services, organizationId: string) => {
  const addons = await readModels.addonsActivatedFor(organizationId).catch(() => []);
  return new Map(addons.map((addonId) => [addonId, readModels.beginCount(organizationId, addonId)]));
};
