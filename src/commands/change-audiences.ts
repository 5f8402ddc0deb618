import { addonDecider } from '../domain/addon.ts';
import { audienceChangeProblems, changeAudiences } from '../domain/addon-audiences.ts';
import { isUlid } from '../domain/ids.ts';
import { addonStream } from '../domain/streams.ts';
import type { Commands } from './commands.ts';
import type { AddonDirectory } from './find-addon.ts';
import { handle } from './handle.ts';
import type { CommandDependencies } from './dependencies.ts';
import { retryUnknownOutcome } from './retry-unknown-outcome.ts';

type Needs = Pick<CommandDependencies, 'store' | 'now'> & { readonly addons: AddonDirectory };

/** An operator says which resources of other servers an add-on may ask for (CL-06); other instances know it within 5 s. */
export const makeChangeAudiences =
  ({ store, now, addons }: Needs): Commands['changeAudiences'] =>
  async ({ addonId, ...change }) => {
    const problems = audienceChangeProblems(change);
    if (problems.length > 0) return { ok: false, refusal: 'audience-invalid', problems };
    if (!isUlid(addonId)) return { ok: false, refusal: 'addon-unknown' };
    const { refusal, events, position } = await retryUnknownOutcome(() =>
      handle(
        store,
        addonStream(addonId),
        addonDecider,
        (addon) => changeAudiences(addon, { ...change, now: now() }),
        { metadata: { actor: 'operator' } },
      ),
    );
    addons.forget(addonId);
    if (refusal !== undefined) return { ok: false, refusal };
    return { ok: true, value: { position: events.length > 0 ? position : null } };
  };
