import { idOf } from '../../domain/kernel/stream-name.ts';
import { standardTypes } from '../set-types.ts';
import { inSeconds, type Telling, type Told, userSubject } from './told.ts';

const aboutUser = (
  addonId: string,
  userId: string,
  { issuer }: Telling,
  type: string,
  payload: Told['payload'],
): Told => ({ addonId, queue: `user:${userId}`, type, subId: userSubject(issuer, userId), payload });

/** CAEP 1.0 §3.1, with the members of §2: the reason is for administrators, by language. */
export const sessionRevoked = (
  addonId: string,
  userId: string,
  at: number,
  telling: Telling,
  reason: string,
): Told =>
  aboutUser(addonId, userId, telling, standardTypes.sessionRevoked, {
    event_timestamp: inSeconds(at),
    initiating_entity: telling.recorded.metadata.actor === userId ? 'user' : 'admin',
    reason_admin: { en: reason },
  });

/** RISC 1.0: to every add-on that ever held a grant of the user, and to no other. */
const toHolders = (type: string) => (_data: unknown, telling: Telling) => {
  const userId = idOf(telling.recorded.stream);
  return telling.past.holders(userId).map(({ addonId }) => aboutUser(addonId, userId, telling, type, {}));
};

/**
 * The user can no longer sign in to the add-on, and every grant of the user's own records has ended (RT-17). `reason` of
 * RISC is left out: it only knows hijacking and bulk accounts.
 */
export const disabled = (data: { readonly at: number }, telling: Telling): readonly Told[] => {
  const userId = idOf(telling.recorded.stream);
  return [
    ...toHolders(standardTypes.accountDisabled)(data, telling),
    ...telling.past
      .holders(userId)
      .map(({ addonId }) =>
        sessionRevoked(addonId, userId, data.at, telling, "The user's account was disabled."),
      ),
  ];
};

export const enabled = toHolders(standardTypes.accountEnabled);

/** The account was disabled before, which has told the rest. */
export const erased = toHolders(standardTypes.accountPurged);
