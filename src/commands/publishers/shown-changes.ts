import { createHash } from 'node:crypto';
import {
  addonDecider,
  type AddonChange,
  type AddonEvent,
  type AddonState,
} from '../../domain/addons/addon.ts';
import { type Difference, differencesIn, proposedIn } from '../../domain/addons/addon-changes.ts';
import { addonStream } from '../../domain/streams.ts';
import type { EventStore } from '../../eventstore/event-store.ts';

/** A change whole, as somebody who decides on it has to see it. */
export type ShownChange = AddonChange & {
  /** Of the add-on as it is; of a change that no longer waits, as it was before it was decided. */
  readonly differences: readonly Difference[];
  /** Another one where anything in `differences` is another. */
  readonly revision: string;
  /** Who approved or refused it; null: nobody. */
  readonly decidedBy: string | null;
};

export const revisionOf = (addon: AddonState, change: AddonChange): string =>
  createHash('sha256')
    .update(JSON.stringify([change.changeId, differencesIn(addon, proposedIn(change))]))
    .digest('hex')
    .slice(0, 32);

type Decided = { readonly on: AddonState; readonly by: string | null };

/** The add-on, and its changes, oldest first. */
export const readShownChanges = async (
  store: Pick<EventStore, 'read'>,
  addonId: string,
): Promise<{ readonly addon: AddonState; readonly changes: readonly ShownChange[] }> => {
  const { events } = await store.read(addonStream(addonId));
  const decided = new Map<string, Decided>();
  let addon: AddonState = addonDecider.initial;
  let earlier = addon;
  for (const { event, metadata } of events) {
    const { type, data } = event as AddonEvent;
    // What an approval changes is the event before it.
    if (type === 'AddonChangeApproved')
      decided.set(data.changeId, { on: earlier, by: metadata.actor ?? null });
    if (type === 'AddonChangeRefused') decided.set(data.changeId, { on: addon, by: metadata.actor ?? null });
    if (type === 'AddonChangeWithdrawn') decided.set(data.changeId, { on: addon, by: null });
    [earlier, addon] = [addon, addonDecider.evolve(addon, event as AddonEvent)];
  }
  if (addon.status === 'unregistered') return { addon, changes: [] };
  const changes = addon.changes.map((change): ShownChange => {
    const { on, by } = decided.get(change.changeId) ?? { on: addon, by: null };
    return {
      ...change,
      differences: differencesIn(on, proposedIn(change)),
      revision: revisionOf(on, change),
      // Nobody approves an own one: the service did, because nobody has to.
      decidedBy: change.state === 'approved' && by === change.by ? null : by,
    };
  });
  return { addon, changes };
};
