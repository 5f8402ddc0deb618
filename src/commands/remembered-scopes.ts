import { consentDecider, rememberedScopes } from '../domain/consent.ts';
import type { GrantSubject } from '../domain/grant.ts';
import type { Scope } from '../domain/scope.ts';
import { consentStream } from '../domain/streams.ts';
import { subjectIdOf } from './approve-scopes.ts';
import { load } from './handle.ts';
import type { CommandDependencies } from './dependencies.ts';

export type RememberedScopes = {
  readonly userId: string;
  readonly addonId: string;
  readonly subject: GrantSubject;
  /** Resources, our own API by its name; only our own API by default. */
  readonly audiences?: readonly string[];
};

/**
 * What this user approved for this add-on, subject and all of the audiences; an approval of another epoch is void (S5).
 */
export const makeRememberedScopes =
  ({ store }: Pick<CommandDependencies, 'store'>) =>
  async ({ userId, addonId, subject, audiences }: RememberedScopes): Promise<readonly Scope[]> => {
    const { state } = await load(store, consentStream(subjectIdOf(subject), addonId), consentDecider);
    return rememberedScopes(state, { userId, epoch: subject.epoch, ...(audiences && { audiences }) });
  };
