import { followPublisher } from '../../domain/addons/addon-changes.ts';
import type { Position } from '../../eventstore/event-store.ts';
import type { AddonDirectory } from '../addons/find-addon.ts';
import { byOperator } from '../kernel/by-operator.ts';
import type { CommandContext } from '../kernel/context.ts';
import type { CommandDependencies } from '../kernel/dependencies.ts';
import { publisherNow } from '../../eventstore/state-of.ts';
import { onAddon } from '../kernel/handle-retrying.ts';

type Dependencies = Pick<CommandDependencies, 'store' | 'now'> & { readonly addons: AddonDirectory };

/** Makes an add-on of the publisher show the name that it has now. @returns where it changed; null: nothing had to */
export const makeNameAfterPublisher =
  ({ store, now, addons }: Dependencies) =>
  async (
    { addonId, publisherId }: { readonly addonId: string; readonly publisherId: string },
    context?: CommandContext,
  ): Promise<Position | null> => {
    let newest: Position | null = null;
    for (let name: string | null = null; ;) {
      const publisher = await publisherNow(store, publisherId);
      if (publisher.status === 'unknown' || publisher.name === name) return newest;
      ({ name } = publisher);
      const given = { publisherId, name, now: now() };
      const { events, position } = await onAddon(store, addonId, (addon) => followPublisher(addon, given), {
        context,
        ...byOperator(),
      });
      addons.forget(addonId);
      if (events.length > 0) newest = position;
    }
  };
