import { isMember } from '../../domain/publishers/publisher.ts';
import type { Addon, AddonDirectory } from '../addons/find-addon.ts';
import type { CommandDependencies } from '../kernel/dependencies.ts';
import { publisherNow } from '../../eventstore/state-of.ts';

/** A member who acts for a publisher. */
export type Member = {
  readonly userId: string;
  /** Whether memberships by a provider's claim count. */
  readonly byClaim: boolean;
};

export type OwnAddon = { readonly addonId: string; readonly member: Member };

/** The add-on, if the member belongs to its publisher now: both streams decide. Null otherwise, as for an unknown one. */
export const makeOwnAddon =
  ({ store, addons }: Pick<CommandDependencies, 'store'> & { readonly addons: AddonDirectory }) =>
  async ({ addonId, member: { userId, byClaim } }: OwnAddon): Promise<Addon | null> => {
    const addon = await addons.current(addonId);
    if (!addon?.publisherId) return null;
    return isMember(await publisherNow(store, addon.publisherId), userId, byClaim) ? addon : null;
  };
