import { accountDecider } from '../domain/account.ts';
import { consentDecider, rememberedScopes, withdrawalsOf } from '../domain/consent.ts';
import type { GrantSubject } from '../domain/grant.ts';
import type { Scope } from '../domain/scope.ts';
import { accountStream, consentStream } from '../domain/streams.ts';
import { load } from './handle.ts';
import type { CommandDependencies } from './dependencies.ts';
import type { RememberedScopes } from './remembered-scopes.ts';

export type OwnConsent = {
  readonly subject: Extract<GrantSubject, { readonly kind: 'user' }>;
  readonly remembered: readonly Scope[];
};

/**
 * A user's own data as the subject of a grant, at its current epoch, and what the user approved in it: like
 * `rememberedScopes`, but for the one subject whose epoch only the log knows.
 */
export const makeOwnConsent =
  ({ store }: Pick<CommandDependencies, 'store'>) =>
  async ({ userId, addonId, audiences }: Omit<RememberedScopes, 'subject'>): Promise<OwnConsent> => {
    const [{ state: consent }, { state: account }] = await Promise.all([
      load(store, consentStream(userId, addonId), consentDecider),
      load(store, accountStream(userId), accountDecider),
    ]);
    const disablings = account.status === 'absent' ? 0 : account.epoch;
    const epoch = withdrawalsOf(consent, userId) + disablings;
    return {
      subject: { kind: 'user', userId, epoch },
      remembered: rememberedScopes(consent, { userId, epoch, ...(audiences && { audiences }) }),
    };
  };
