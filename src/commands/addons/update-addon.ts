import {
  unchanged,
  updateAddon,
  updateProblems,
  type AddonUpdate,
  type UpdateRefusal,
} from '../../domain/addons/addon-update.ts';
import { addonDecider, type AddonEvent, type AddonState } from '../../domain/addons/addon.ts';
import { setPublisher } from '../../domain/addons/addon-changes.ts';
import { decideAll } from '../../domain/kernel/decision.ts';
import { isUlid } from '../../domain/kernel/ids.ts';
import { normaliseName } from '../../domain/kernel/name.ts';
import type { Position } from '../../eventstore/event-store.ts';
import { publisherNow } from '../../eventstore/state-of.ts';
import { makeNameAfterPublisher } from '../publishers/addon-publisher.ts';
import { byOperator } from '../kernel/by-operator.ts';
import type { CommandContext } from '../kernel/context.ts';
import type { AddonDirectory } from './find-addon.ts';
import type { CommandDependencies } from '../kernel/dependencies.ts';
import type { OutcomeWithProblems } from '../kernel/outcome.ts';
import { onAddon } from '../kernel/handle-retrying.ts';

type Dependencies = Pick<CommandDependencies, 'store' | 'now'> & { readonly addons: AddonDirectory };

/** What is not given stays as it is. */
export type UpdateAddon = {
  readonly addonId: string;
  /** Whose members look after it, and whose name it shows from then on; null: nobody's. */
  readonly publisherId?: string | null;
} & Partial<AddonUpdate>;

/**
 * Changes an add-on (AM-12) by one append: once it has returned, no instance uses a removed redirect URI or scope, because each reads the
 * stream. The rest is known within 5 s; grants stay. A rename of the publisher at the same moment finds the add-on, or is found here.
 */
export const makeUpdateAddon = (dependencies: Dependencies) => {
  const { store, now, addons } = dependencies;
  const nameAfterPublisher = makeNameAfterPublisher(dependencies);
  return async (
    { addonId, publisherId, ...given }: UpdateAddon,
    context?: CommandContext,
  ): Promise<
    OutcomeWithProblems<{ readonly position: Position | null }, UpdateRefusal | 'publisher-unknown'>
  > => {
    if (!isUlid(addonId)) return { ok: false, refusal: 'addon-unknown' };
    const publisher = typeof publisherId === 'string' ? await publisherNow(store, publisherId) : null;
    if (publisher?.status === 'unknown') return { ok: false, refusal: 'publisher-unknown' };
    const name = publisher?.name ?? null;
    const update = { ...unchanged, ...given, ...normalised(given) };
    const transfer =
      publisherId === undefined
        ? null
        : (addon: AddonState) => setPublisher(addon, { publisherId, name, now: now() });
    const { before, refusal, events, position } = await onAddon(
      store,
      addonId,
      (addon, attempt) =>
        decideAll<AddonState, AddonEvent, UpdateRefusal>(addonDecider, addon, [
          transfer,
          (one) => updateAddon(one, { ...update, now: now(), isRepeat: attempt === 'again' }),
        ]),
      { context, ...byOperator() },
    );
    addons.forget(addonId);
    if (refusal === 'addon-invalid') {
      const judged = (transfer?.(before).events ?? []).reduce(addonDecider.evolve, before);
      return { ok: false, refusal, problems: updateProblems(judged, update) };
    }
    if (refusal !== undefined) return { ok: false, refusal };
    const renamed = publisherId ? await nameAfterPublisher({ addonId, publisherId }, context) : null;
    return { ok: true, value: { position: renamed ?? (events.length > 0 ? position : null) } };
  };
};

const normalised = ({ name, publisher }: Partial<AddonUpdate>) => ({
  ...(typeof name === 'string' && { name: normaliseName(name) }),
  ...(typeof publisher === 'string' && { publisher: normaliseName(publisher) }),
});
