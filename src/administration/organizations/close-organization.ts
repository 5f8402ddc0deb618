import type { CommandContext } from '../../commands/kernel/context.ts';
import { comparePositions, type Position } from '../../eventstore/event-store.ts';
import { presentReceipt } from './deactivation-receipt.ts';
import type { Services } from '../task.ts';

/** The counts are null where they are not known any more. */
export type ClosingReceipt = ReturnType<typeof presentReceipt>;

export type Closed =
  | {
      readonly ok: true;
      readonly changed: boolean;
      readonly receipts: readonly ClosingReceipt[];
      readonly position: Position;
    }
  | { readonly ok: false; readonly refusal: 'organization-unknown' | 'read-models-behind' };

/** How long a deactivation waits for the counts, in milliseconds. */
const countPatienceMs = 1_000;

/** More passes than one are needed only if somebody activates add-ons at the same time on an older version. */
const mostPasses = 5;

/** Closes an organization and deactivates its active add-ons, each with its receipt (ADR 56). A repeat completes it and answers the same receipts. */
export const closeOrganization = async (
  services: Services,
  organizationId: string,
  context: CommandContext,
): Promise<Closed> => {
  const { commands, readModels } = services;
  const outcome = await commands.closeOrganization({ organizationId }, context);
  if (!outcome.ok) return { ok: false, refusal: outcome.refusal };
  const { changed, closedAt } = outcome.value;
  const receipts = new Map<string, ClosingReceipt>();
  let last: Position = closedAt;
  for (let pass = 0; pass < mostPasses; pass += 1) {
    if (!(await hasApplied(services, last))) return { ok: false, refusal: 'read-models-behind' };
    let isDone = true;
    for (const addonId of await readModels.addonsActivatedFor(organizationId)) {
      const done = await deactivate(services, { organizationId, addonId }, context);
      if (done === null || comparePositions(done.receipt.position, closedAt) < 0) continue;
      last = comparePositions(done.receipt.position, last) > 0 ? done.receipt.position : last;
      isDone &&= done.receipt.repeated;
      if (!done.receipt.repeated || !receipts.has(addonId))
        receipts.set(addonId, presentReceipt(done.receipt, done.counted));
    }
    if (isDone) break;
  }
  return { ok: true, changed, receipts: [...receipts.values()], position: last };
};

/** How long to wait beyond `settle`, in milliseconds. */
const patienceMs = 5_000;

const hasApplied = async ({ readModels, settle }: Services, position: Position): Promise<boolean> => {
  await settle(position);
  return readModels.waitFor(position, patienceMs).catch(() => false);
};

const deactivate = async (
  { commands, readModels }: Services,
  ids: { readonly organizationId: string; readonly addonId: string },
  context: CommandContext,
) => {
  const { actor = 'operator', tokenId = null } = context.acting ?? {};
  const liveGrants = readModels.beginCount(ids.organizationId, ids.addonId);
  const outcome = await commands.deactivateAddon({ ...ids, by: actor, tokenId }, context);
  if (!outcome.ok) return null;
  const { value: receipt } = outcome;
  return { receipt, counted: receipt.repeated ? null : await liveGrants(receipt.epoch, countPatienceMs) };
};
