import { consentDecider, rememberedScopes } from '../domain/consent.ts';
import { consentStream } from '../domain/streams.ts';
import { subjectIdOf } from './approve-scopes.ts';
import type { Commands } from './commands.ts';
import { load } from './handle.ts';
import type { CommandDependencies } from './dependencies.ts';

/** What this user approved for this add-on and subject; an approval of another epoch counts for nothing (S5). */
export const makeRememberedScopes =
  ({ store }: Pick<CommandDependencies, 'store'>): Commands['rememberedScopes'] =>
  async ({ userId, addonId, subject, audiences }) => {
    const { state } = await load(store, consentStream(subjectIdOf(subject), addonId), consentDecider);
    return rememberedScopes(state, { userId, epoch: subject.epoch, ...(audiences && { audiences }) });
  };
