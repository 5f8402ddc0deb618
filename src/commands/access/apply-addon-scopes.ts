import { askableWith } from '../../domain/access/scope.ts';
import { addonDecider } from '../../domain/addons/addon.ts';
import { isUlid } from '../../domain/kernel/ids.ts';
import { addonStream } from '../../domain/streams.ts';
import type { Position } from '../../eventstore/event-store.ts';
import type { CommandContext } from '../kernel/context.ts';
import type { CommandDependencies } from '../kernel/dependencies.ts';
import type { AddonGrants, EndedGrants } from './addon-grants.ts';
import { catchUpInTime, makeEndAddonGrants } from './end-addon-grants.ts';
import { load } from '../kernel/handle.ts';
import type { Outcome } from '../kernel/outcome.ts';

type Dependencies = Pick<CommandDependencies, 'store' | 'fence' | 'now'> & {
  readonly addonGrants: AddonGrants;
};

/**
 * Ends every grant that holds a scope which its add-on may no longer ask for (AM-12, ADR 57). Once it has returned, every
 * instance refuses their codes and tokens. A code that was answered before the scope was removed is in the log before
 * the removal, so the read models show it here; a later one is ended by the command that issued it.
 */
export const makeApplyAddonScopes = (dependencies: Dependencies) => {
  const { store, addonGrants } = dependencies;
  const endGrants = makeEndAddonGrants(dependencies);
  return async (
    addonId: string,
    context?: CommandContext,
  ): Promise<
    Outcome<
      { readonly ended: readonly EndedGrants[]; readonly position: Position | null },
      'addon-unknown' | 'read-models-behind'
    >
  > => {
    if (!isUlid(addonId)) return { ok: false, refusal: 'addon-unknown' };
    const { state } = await load(store, addonStream(addonId), addonDecider);
    if (state.status === 'unregistered') return { ok: false, refusal: 'addon-unknown' };
    if (!(await catchUpInTime(addonGrants))) return { ok: false, refusal: 'read-models-behind' };
    const grants = addonGrants.outside(addonId, askableWith(state.allowedScopes));
    return { ok: true, value: await endGrants({ addonId, grants, reason: 'scope-removed' }, context) };
  };
};
