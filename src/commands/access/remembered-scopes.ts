import {
  consentDecider,
  rememberedChoice,
  rememberedScopes,
  type Consent,
} from '../../domain/access/consent.ts';
import type { GrantSubject } from '../../domain/access/grant.ts';
import type { Scope } from '../../domain/access/scope.ts';
import { consentStream } from '../../domain/streams.ts';
import { subjectIdOf } from './approve-scopes.ts';
import { load } from '../kernel/handle.ts';
import type { CommandDependencies } from '../kernel/dependencies.ts';

export type RememberedScopes = {
  readonly userId: string;
  readonly addonId: string;
  readonly subject: GrantSubject;
  /** Resources, our own API by its name; only our own API by default. */
  readonly audiences?: readonly string[];
};

/** What was approved, and among which subjects the user chose then. */
export type Remembered = { readonly scopes: readonly Scope[]; readonly choice: string | null };

export const rememberedIn = (
  consent: Consent,
  asking: Parameters<typeof rememberedScopes>[1],
): Remembered => ({
  scopes: rememberedScopes(consent, asking),
  choice: rememberedChoice(consent, asking),
});

/**
 * What this user approved for this add-on, subject and all of the audiences; an approval of another epoch is void (S5).
 */
export const makeRememberedScopes =
  ({ store }: Pick<CommandDependencies, 'store'>) =>
  async ({ userId, addonId, subject, audiences }: RememberedScopes): Promise<Remembered> => {
    const { state } = await load(store, consentStream(subjectIdOf(subject), addonId), consentDecider);
    return rememberedIn(state, { userId, epoch: subject.epoch, ...(audiences && { audiences }) });
  };
