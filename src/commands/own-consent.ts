import { accountDecider } from '../domain/account.ts';
import { consentDecider, rememberedScopes, withdrawalsOf } from '../domain/consent.ts';
import { accountStream, consentStream } from '../domain/streams.ts';
import type { Commands } from './commands.ts';
import { load } from './handle.ts';
import type { CommandDependencies } from './dependencies.ts';

/** A user's own data as the subject of a grant, at its present epoch, and what the user approved in it. */
export const makeOwnConsent =
  ({ store }: Pick<CommandDependencies, 'store'>): Commands['ownConsent'] =>
  async ({ userId, addonId, audiences }) => {
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
