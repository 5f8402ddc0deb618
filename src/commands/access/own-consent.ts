import { approvalOf, consentDecider, withdrawalsOf } from '../../domain/access/consent.ts';
import type { GrantSubject } from '../../domain/access/grant.ts';
import { consentStream } from '../../domain/streams.ts';
import { load } from '../kernel/handle.ts';
import type { CommandDependencies } from '../kernel/dependencies.ts';
import { rememberedIn, type Remembered, type RememberedScopes } from './remembered-scopes.ts';
import { accountNow } from '../../eventstore/state-of.ts';

export type OwnConsent = {
  readonly subject: Extract<GrantSubject, { readonly kind: 'user' }>;
  readonly remembered: Remembered;
};

type AskOwnConsent = Omit<RememberedScopes, 'subject'> & {
  /** How often the account was disabled, if its stream was read for this request before; otherwise it is read. */
  readonly disablings?: number;
};

/**
 * A user's own data as the subject of a grant, at its epoch, and what the user approved in it: like `rememberedScopes`,
 * but for the one subject whose epoch only the log knows. If the account is disabled after its stream was read, the fence
 * has another epoch, and no code is issued for this one.
 */
export const makeOwnConsent =
  ({ store }: Pick<CommandDependencies, 'store'>) =>
  async ({ userId, addonId, audiences, disablings }: AskOwnConsent): Promise<OwnConsent> => {
    const [{ state: consent }, disabledTimes] = await Promise.all([
      load(store, consentStream(userId, addonId), consentDecider),
      disablings ?? readDisablings(store, userId),
    ]);
    const epoch = withdrawalsOf(consent, userId) + disabledTimes;
    return {
      subject: { kind: 'user', userId, epoch },
      remembered: rememberedIn(consent, { userId, epoch, ...(audiences && { audiences }) }),
    };
  };

/** What the user approved for own data, and is valid: from the log, by add-on. */
export type OwnApproval = NonNullable<ReturnType<typeof approvalOf>>;

export const makeOwnApprovals =
  ({ store }: Pick<CommandDependencies, 'store'>) =>
  async (userId: string, addonIds: readonly string[]): Promise<ReadonlyMap<string, OwnApproval>> => {
    const [disablings, ...consents] = await Promise.all([
      readDisablings(store, userId),
      ...addonIds.map((addonId) => load(store, consentStream(userId, addonId), consentDecider)),
    ]);
    return new Map(
      consents.flatMap(({ state }, index) => {
        const approval = approvalOf(state, { userId, epoch: withdrawalsOf(state, userId) + disablings });
        return approval ? [[addonIds[index] ?? '', approval] as const] : [];
      }),
    );
  };

const readDisablings = async (store: CommandDependencies['store'], userId: string): Promise<number> => {
  const state = await accountNow(store, userId);
  return state.status === 'absent' ? 0 : state.epoch;
};
