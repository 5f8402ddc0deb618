import {
  unchanged,
  updateAddon,
  updateProblems,
  type AddonUpdate,
  type UpdateRefusal,
} from '../../domain/addons/addon-update.ts';
import { isUlid } from '../../domain/kernel/ids.ts';
import { normaliseName } from '../../domain/kernel/name.ts';
import type { Position } from '../../eventstore/event-store.ts';
import { byOperator } from '../kernel/by-operator.ts';
import type { CommandContext } from '../kernel/context.ts';
import type { AddonDirectory } from './find-addon.ts';
import type { CommandDependencies } from '../kernel/dependencies.ts';
import type { OutcomeWithProblems } from '../kernel/outcome.ts';
import { onAddon } from '../kernel/handle-retrying.ts';

type Dependencies = Pick<CommandDependencies, 'store' | 'now'> & { readonly addons: AddonDirectory };

/** What is not given stays as it is. */
export type UpdateAddon = { readonly addonId: string } & Partial<AddonUpdate>;

/**
 * Changes an add-on (AM-12): once it has returned, no instance uses a removed redirect URI or scope, because each reads the stream.
 * The rest is known within 5 s; grants stay.
 */
export const makeUpdateAddon =
  ({ store, now, addons }: Dependencies) =>
  async (
    { addonId, ...given }: UpdateAddon,
    context?: CommandContext,
  ): Promise<OutcomeWithProblems<{ readonly position: Position | null }, UpdateRefusal>> => {
    if (!isUlid(addonId)) return { ok: false, refusal: 'addon-unknown' };
    const update = { ...unchanged, ...given, ...normalised(given) };
    const { before, refusal, events, position } = await onAddon(
      store,
      addonId,
      (addon, attempt) => updateAddon(addon, { ...update, now: now(), isRepeat: attempt === 'again' }),
      { context, ...byOperator() },
    );
    addons.forget(addonId);
    if (refusal === 'addon-invalid') return { ok: false, refusal, problems: updateProblems(before, update) };
    if (refusal !== undefined) return { ok: false, refusal };
    return { ok: true, value: { position: events.length > 0 ? position : null } };
  };

const normalised = ({ name, publisher }: Partial<AddonUpdate>) => ({
  ...(typeof name === 'string' && { name: normaliseName(name) }),
  ...(typeof publisher === 'string' && { publisher: normaliseName(publisher) }),
});
