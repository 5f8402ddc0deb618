import { retireAddon } from '../../domain/addons/addon.ts';
import { addonSubject } from '../../domain/fence/fence.ts';
import { isUlid } from '../../domain/kernel/ids.ts';
import { addonStream } from '../../domain/streams.ts';
import { comparePositions, type EventStore, type Position } from '../../eventstore/event-store.ts';
import { byOperator } from '../kernel/by-operator.ts';
import { completeFence } from '../kernel/complete-fence.ts';
import type { CommandContext } from '../kernel/context.ts';
import { makeDeactivateAddon, type DeactivationReceipt } from '../organizations/deactivate-addon.ts';
import type { CommandDependencies } from '../kernel/dependencies.ts';
import type { AddonGrants } from '../access/addon-grants.ts';
import { catchUpInTime, makeEndAddonGrants } from '../access/end-addon-grants.ts';
import type { AddonDirectory } from './find-addon.ts';
import type { Outcome } from '../kernel/outcome.ts';
import { onAddon } from '../kernel/handle-retrying.ts';

type Dependencies = Pick<CommandDependencies, 'store' | 'fence' | 'now'> & {
  readonly addons: AddonDirectory;
  readonly addonGrants: AddonGrants;
};

/** `ownGrants`: how many grants of users' own records it has ended. */
export type Retirement = {
  readonly receipts: readonly DeactivationReceipt[];
  readonly ownGrants: number;
  /** Up to where the log has to be read to see all of it. */
  readonly position: Position;
};

/**
 * Permanently ends an add-on (AM-12): by one event and one fence row nothing of it is accepted. Then activations and own-record grants end,
 * with receipts; a repeat completes it and answers those of the deactivations after the retirement.
 */
export const makeRetireAddon = (dependencies: Dependencies) => {
  const { store, fence, now, addons, addonGrants } = dependencies;
  const deactivate = makeDeactivateAddon(dependencies);
  const endGrants = makeEndAddonGrants(dependencies);
  return async (
    {
      addonId,
      by,
      tokenId,
    }: { readonly addonId: string; readonly by: string; readonly tokenId?: string | null },
    context?: CommandContext,
  ): Promise<Outcome<Retirement, 'addon-unknown' | 'read-models-behind'>> => {
    if (!isUlid(addonId)) return { ok: false, refusal: 'addon-unknown' };
    const handled = await onAddon(store, addonId, (addon) => retireAddon(addon, { now: now() }), {
      context,
      ...byOperator(),
    });
    if (handled.refusal) return { ok: false, refusal: handled.refusal };
    await completeFence(fence, addonSubject(addonId), handled);
    addons.forget(addonId);
    const retired = await retirementIn(store, addonId);
    if (!(await catchUpInTime(addonGrants))) return { ok: false, refusal: 'read-models-behind' };
    const receipts: DeactivationReceipt[] = [];
    let newest = retired;
    for await (const page of addonGrants.activatedFor(addonId))
      for (const organizationId of page) {
        const who = { by, ...(tokenId !== undefined && { tokenId }) };
        const outcome = await deactivate({ organizationId, addonId, ...who }, context);
        if (!outcome.ok || comparePositions(outcome.value.position, retired) < 0) continue;
        receipts.push(outcome.value);
        newest = later(newest, outcome.value.position);
      }
    const { ended, position } = await endGrants(
      { addonId, grants: addonGrants.own(addonId), reason: 'addon-retired' },
      context,
    );
    const ownGrants = ended.find(({ organizationId }) => organizationId === null)?.grants ?? 0;
    return {
      ok: true,
      value: { receipts, ownGrants, position: position ? later(newest, position) : newest },
    };
  };
};

const later = (one: Position, other: Position): Position => (comparePositions(one, other) > 0 ? one : other);

const retirementIn = async (store: EventStore, addonId: string): Promise<Position> => {
  const { events } = await store.read(addonStream(addonId));
  const found = events.find(({ event }) => event.type === 'AddonRetired');
  if (!found) throw new Error('a retirement without an event');
  return found.position;
};
