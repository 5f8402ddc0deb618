import { followPublisher, setPublisher } from '../../domain/addons/addon-changes.ts';
import { isUlid } from '../../domain/kernel/ids.ts';
import type { Position } from '../../eventstore/event-store.ts';
import type { AddonDirectory } from '../addons/find-addon.ts';
import { byOperator } from '../kernel/by-operator.ts';
import type { CommandContext } from '../kernel/context.ts';
import type { CommandDependencies } from '../kernel/dependencies.ts';
import type { Outcome } from '../kernel/outcome.ts';
import { publisherNow } from '../../eventstore/state-of.ts';
import { onAddon } from '../kernel/handle-retrying.ts';

type Dependencies = Pick<CommandDependencies, 'store' | 'now'> & { readonly addons: AddonDirectory };

export type SetAddonPublisher = { readonly addonId: string; readonly publisherId: string | null };

/** Gives an add-on to a publisher, or to none. A rename at the same moment finds the add-on, or is found here. */
export const makeSetAddonPublisher = (dependencies: Dependencies) => {
  const { store, now, addons } = dependencies;
  const nameAfterPublisher = makeNameAfterPublisher(dependencies);
  return async (
    { addonId, publisherId }: SetAddonPublisher,
    context?: CommandContext,
  ): Promise<
    Outcome<{ readonly position: Position | null }, 'addon-unknown' | 'addon-retired' | 'publisher-unknown'>
  > => {
    if (!isUlid(addonId)) return { ok: false, refusal: 'addon-unknown' };
    const publisher = publisherId === null ? null : await publisherNow(store, publisherId);
    if (publisher?.status === 'unknown') return { ok: false, refusal: 'publisher-unknown' };
    const { refusal, events, position } = await onAddon(
      store,
      addonId,
      (addon) => setPublisher(addon, { publisherId, name: publisher?.name ?? null, now: now() }),
      { context, ...byOperator() },
    );
    addons.forget(addonId);
    if (refusal !== undefined) return { ok: false, refusal };
    const renamed = publisherId === null ? null : await nameAfterPublisher({ addonId, publisherId }, context);
    return { ok: true, value: { position: renamed ?? (events.length > 0 ? position : null) } };
  };
};

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
