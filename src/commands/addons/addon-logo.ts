import { addonDecider, type Logo } from '../../domain/addons/addon.ts';
import { addonStream } from '../../domain/streams.ts';
import type { CommandDependencies } from '../kernel/dependencies.ts';
import type { Addon } from './find-addon.ts';
import { load } from '../kernel/handle.ts';

/** The logo of an add-on, from its stream: the cached add-ons do not hold it. Null if it has none. */
export const makeAddonLogo =
  ({ store }: Pick<CommandDependencies, 'store'>) =>
  async ({ addonId, hasLogo }: Pick<Addon, 'addonId' | 'hasLogo'>): Promise<Logo | null> => {
    if (!hasLogo) return null;
    const { state } = await load(store, addonStream(addonId), addonDecider);
    return state.status === 'unregistered' ? null : state.logo;
  };
