import { type AddonEvent, type AddonState, resumeAddon, suspendAddon } from '../../domain/addons/addon.ts';
import type { Decision, Instant } from '../../domain/kernel/decision.ts';
import { addonSubject } from '../../domain/fence/fence.ts';
import { isUlid } from '../../domain/kernel/ids.ts';
import type { Position } from '../../eventstore/event-store.ts';
import { byOperator } from '../kernel/by-operator.ts';
import { completeFence } from '../kernel/complete-fence.ts';
import type { CommandContext } from '../kernel/context.ts';
import type { AddonDirectory } from './find-addon.ts';
import type { CommandDependencies } from '../kernel/dependencies.ts';
import type { Outcome } from '../kernel/outcome.ts';
import { onAddon } from '../kernel/handle-retrying.ts';

type Dependencies = Pick<CommandDependencies, 'store' | 'fence' | 'now'> & {
  readonly addons: AddonDirectory;
};

/** Refuses an add-on's tokens in every organization until it is resumed (SU-01); in force when this returns. */
export const makeSuspendAddon = (dependencies: Dependencies) => decideAndFence(dependencies, suspendAddon);

/** Lifts a suspension: tokens that have not expired work again, without new consent (SU-01). */
export const makeResumeAddon = (dependencies: Dependencies) => decideAndFence(dependencies, resumeAddon);

type Decide = (
  addon: AddonState,
  command: { readonly now: Instant },
) => Decision<AddonEvent, SuspensionRefusal>;

export type SuspensionRefusal = 'addon-unknown' | 'addon-retired';

/** Checks the fence even when nothing changes: an earlier call may have crashed before its write to the fence. */
const decideAndFence =
  ({ store, fence, now, addons }: Dependencies, decide: Decide) =>
  async (
    addonId: string,
    context?: CommandContext,
  ): Promise<Outcome<{ readonly position: Position | null }, SuspensionRefusal>> => {
    if (!isUlid(addonId)) return { ok: false, refusal: 'addon-unknown' };
    const handled = await onAddon(store, addonId, (addon) => decide(addon, { now: now() }), {
      context,
      ...byOperator(),
    });
    if (handled.refusal) return { ok: false, refusal: handled.refusal };
    await completeFence(fence, addonSubject(addonId), handled);
    addons.forget(addonId);
    return { ok: true, value: { position: handled.position } };
  };
