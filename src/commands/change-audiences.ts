import { addonDecider } from '../domain/addon.ts';
import { audienceChangeProblems, changeAudiences, type AudienceChange } from '../domain/addon-audiences.ts';
import { isUlid } from '../domain/ids.ts';
import { addonStream } from '../domain/streams.ts';
import type { Position } from '../eventstore/event-store.ts';
import { byOperator } from './by-operator.ts';
import type { CommandContext } from './context.ts';
import type { AddonDirectory } from './find-addon.ts';
import { handle } from './handle.ts';
import type { CommandDependencies } from './dependencies.ts';
import type { OutcomeWithProblems } from './outcome.ts';
import { retryUnknownOutcome } from './retry-unknown-outcome.ts';

type Dependencies = Pick<CommandDependencies, 'store' | 'now'> & { readonly addons: AddonDirectory };

/**
 * An operator sets which resources of other servers an add-on may ask for (CL-06); other instances know it within 5 s.
 * What is already set changes nothing.
 */
export const makeChangeAudiences =
  ({ store, now, addons }: Dependencies) =>
  async (
    { addonId, ...change }: AudienceChange & { readonly addonId: string },
    context?: CommandContext,
  ): Promise<
    OutcomeWithProblems<
      { readonly position: Position | null },
      'addon-unknown' | 'audience-invalid' | 'too-many-audiences'
    >
  > => {
    const problems = audienceChangeProblems(change);
    if (problems.length > 0) return { ok: false, refusal: 'audience-invalid', problems };
    if (!isUlid(addonId)) return { ok: false, refusal: 'addon-unknown' };
    const { refusal, events, position } = await retryUnknownOutcome(() =>
      handle(
        store,
        addonStream(addonId),
        addonDecider,
        (addon) => changeAudiences(addon, { ...change, now: now() }),
        { context, ...byOperator() },
      ),
    );
    addons.forget(addonId);
    if (refusal !== undefined) return { ok: false, refusal };
    return { ok: true, value: { position: events.length > 0 ? position : null } };
  };
