import type { Account, AccountEvent } from './account.ts';
import { accept, type Decision, type Instant, refuse, type At } from '../kernel/decision.ts';
import type { Passkey } from './passkey.ts';

/** How many passkeys an account may have. */
export const passkeysAllowed = 20;

/** Only to an account with a password: elsewhere a passkey would outlast what the provider locks. The same again is refused, but for a repeat. */
export const addPasskey = (
  account: Account,
  { now, ...passkey }: Omit<Passkey, 'addedAt'> & At,
): Decision<AccountEvent, 'user-disabled' | 'no-password' | 'passkey-exists' | 'too-many-passkeys'> => {
  if (account.status !== 'enabled') return refuse('user-disabled');
  if (account.passwordSetAt === null) return refuse('no-password');
  const same = account.passkeys.find(({ credentialId }) => credentialId === passkey.credentialId);
  if (same) return same.passkeyId === passkey.passkeyId ? accept() : refuse('passkey-exists');
  if (account.passkeys.length >= passkeysAllowed) return refuse('too-many-passkeys');
  return accept({ type: 'PasskeyAdded', data: { ...passkey, at: now } });
};

const hasPasskey = (account: Account, passkeyId: string): boolean =>
  account.status !== 'absent' && account.passkeys.some((passkey) => passkey.passkeyId === passkeyId);

/** The same name again changes nothing. */
export const renamePasskey = (
  account: Account,
  { passkeyId, name, now }: At<'passkeyId' | 'name'>,
): Decision<AccountEvent, 'passkey-unknown'> => {
  if (account.status === 'absent') return refuse('passkey-unknown');
  const passkey = account.passkeys.find((one) => one.passkeyId === passkeyId);
  if (!passkey) return refuse('passkey-unknown');
  return passkey.name === name
    ? accept()
    : accept({ type: 'PasskeyRenamed', data: { passkeyId, name, at: now } });
};

/** Removes a passkey; the sessions that began with it end, except one. */
export const removePasskey = (
  account: Account,
  {
    passkeyId,
    exceptSession,
    now,
  }: { readonly passkeyId: string; readonly exceptSession: string | null; readonly now: Instant },
): Decision<AccountEvent, 'passkey-unknown'> =>
  hasPasskey(account, passkeyId)
    ? accept({ type: 'PasskeyRemoved', data: { passkeyId, exceptSession, at: now } })
    : refuse('passkey-unknown');
