import { accept, type Decider, type Decision, type Instant, refuse } from './decision.ts';

export type Role = 'auditor' | 'operator';

export type AccountEvent =
  | {
      readonly type: 'AccountCreated';
      readonly data: {
        readonly userId: string;
        readonly email: string;
        readonly name: string;
        readonly roles: readonly Role[];
        readonly at: Instant;
      };
    }
  /** `passwordHash` is an argon2id PHC string. */
  | { readonly type: 'PasswordSet'; readonly data: { readonly passwordHash: string; readonly at: Instant } }
  /** `epoch` counts disablings from 1: what a user granted before one stays dead after the account is enabled (RT-17). */
  | { readonly type: 'AccountDisabled'; readonly data: { readonly epoch: number; readonly at: Instant } }
  | { readonly type: 'AccountEnabled'; readonly data: { readonly epoch: number; readonly at: Instant } };

/** The claim on an e-mail address, in a stream of its own: the first append wins. */
export type EmailEvent = {
  readonly type: 'EmailClaimed';
  readonly data: { readonly userId: string; readonly at: Instant };
};

export type Account =
  | { readonly status: 'absent' }
  | {
      readonly status: 'enabled' | 'disabled';
      readonly userId: string;
      readonly email: string;
      readonly name: string;
      readonly roles: readonly Role[];
      /** Null until a password is set: nobody can sign in. */
      readonly passwordHash: string | null;
      /** How often it was disabled. */
      readonly epoch: number;
    };

export const accountDecider: Decider<Account, AccountEvent> = {
  initial: { status: 'absent' },
  evolve: (account, event) => {
    if (event.type === 'AccountCreated') {
      const { userId, email, name, roles } = event.data;
      return { status: 'enabled', userId, email, name, roles, passwordHash: null, epoch: 0 };
    }
    if (account.status === 'absent') return account;
    switch (event.type) {
      case 'PasswordSet':
        return { ...account, passwordHash: event.data.passwordHash };
      case 'AccountDisabled':
        return { ...account, status: 'disabled', epoch: event.data.epoch };
      case 'AccountEnabled':
        return { ...account, status: 'enabled', epoch: event.data.epoch };
    }
  },
};

export type CreateAccountCommand = {
  readonly userId: string;
  /** Normalised. */
  readonly email: string;
  readonly name: string;
  readonly roles: readonly Role[];
  readonly passwordHash: string;
  readonly now: Instant;
};

/** Created together with its password, so that no account exists that nobody can sign in to. */
export const createAccount = (
  account: Account,
  { passwordHash, now, ...person }: CreateAccountCommand,
): Decision<AccountEvent, 'account-exists'> =>
  account.status === 'absent'
    ? accept(
        { type: 'AccountCreated', data: { ...person, at: now } },
        { type: 'PasswordSet', data: { passwordHash, at: now } },
      )
    : refuse('account-exists');

type ChangeAccount = { readonly now: Instant };

/** Shuts the user out and ends the user's own grants (RT-17). Disabling twice changes nothing. */
export const disableAccount = (
  account: Account,
  { now }: ChangeAccount,
): Decision<AccountEvent, 'user-unknown'> => {
  if (account.status === 'absent') return refuse('user-unknown');
  if (account.status === 'disabled') return accept();
  return accept({ type: 'AccountDisabled', data: { epoch: account.epoch + 1, at: now } });
};

/** Lets the user sign in again; what the disabling has ended stays ended. */
export const enableAccount = (
  account: Account,
  { now }: ChangeAccount,
): Decision<AccountEvent, 'user-unknown'> => {
  if (account.status === 'absent') return refuse('user-unknown');
  if (account.status === 'enabled') return accept();
  return accept({ type: 'AccountEnabled', data: { epoch: account.epoch, at: now } });
};

export type EmailClaim = { readonly userId: string | null };

export const emailDecider: Decider<EmailClaim, EmailEvent> = {
  initial: { userId: null },
  evolve: (_claim, event) => ({ userId: event.data.userId }),
};

/** The first claim stays: whoever comes later finds the user id that the address belongs to. */
export const claimEmail = (
  claim: EmailClaim,
  { userId, now }: { readonly userId: string; readonly now: Instant },
): Decision<EmailEvent> =>
  claim.userId === null ? accept({ type: 'EmailClaimed', data: { userId, at: now } }) : accept();
