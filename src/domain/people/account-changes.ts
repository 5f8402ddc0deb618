import { type Account, type AccountEvent, addressOf, type Role } from './account.ts';
import { accept, type Decision, refuse, type At } from '../kernel/decision.ts';

type Refusal = 'user-unknown' | 'user-erased';

const goneOr = (account: Account): Refusal | null => {
  if (account.status === 'absent') return 'user-unknown';
  return account.status === 'erased' ? 'user-erased' : null;
};

export const renameAccount = (
  account: Account,
  { name, now }: At<'name'>,
): Decision<AccountEvent, Refusal> => {
  const gone = goneOr(account);
  if (gone !== null || account.status === 'absent') return refuse(gone ?? 'user-unknown');
  return account.name === name ? accept() : accept({ type: 'AccountRenamed', data: { name, at: now } });
};

/** Empty: as the browser says, and UTC. */
export const choosePreferences = (
  account: Account,
  { language, timeZone, now }: At<'language' | 'timeZone'>,
): Decision<AccountEvent, 'user-disabled'> => {
  if (account.status !== 'enabled') return refuse('user-disabled');
  return (account.language ?? '') === language && (account.timeZone ?? '') === timeZone
    ? accept()
    : accept({ type: 'PreferencesChosen', data: { language, timeZone, at: now } });
};

/** The operator vouches for it. The same address again changes nothing. The caller has claimed it. */
export const changeEmail = (
  account: Account,
  { email, now }: At<'email'>,
): Decision<AccountEvent, Refusal> => {
  const gone = goneOr(account);
  if (gone !== null || account.status === 'absent') return refuse(gone ?? 'user-unknown');
  return account.email === email && account.emailVouchedBy === 'operator'
    ? accept()
    : accept({ type: 'AccountEmailChanged', data: { email, emailVouchedBy: 'operator', at: now } });
};

/** The address turned out to be another account's: it is shown and no longer used. */
export const disownEmail = (account: Account, { email, now }: At<'email'>): Decision<AccountEvent> =>
  addressOf(account) === email
    ? accept({ type: 'AccountEmailChanged', data: { email, emailVouchedBy: 'nobody', at: now } })
    : accept();

/** Gives a role by hand. Giving it twice changes nothing; next to a role by claim it stays when that ends. */
export const grantRole = (
  account: Account,
  { role, now }: At & { readonly role: Role },
): Decision<AccountEvent, Refusal> => {
  const gone = goneOr(account);
  if (gone !== null || account.status === 'absent') return refuse(gone ?? 'user-unknown');
  return account.rolesBySource.manual.includes(role)
    ? accept()
    : accept({ type: 'RoleGranted', data: { role, source: 'manual', at: now } });
};

/** Takes a role that was given by hand. Without it nothing changes; one by claim alone is refused: the user would keep it. */
export const removeRole = (
  account: Account,
  { role, now }: At & { readonly role: Role },
): Decision<AccountEvent, 'user-unknown' | 'role-by-claim'> => {
  if (account.status === 'absent') return refuse('user-unknown');
  if (account.rolesBySource.manual.includes(role))
    return accept({ type: 'RoleRemoved', data: { role, source: 'manual', at: now } });
  return account.rolesBySource.claim.includes(role) ? refuse('role-by-claim') : accept();
};
