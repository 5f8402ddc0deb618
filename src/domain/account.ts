import { accept, type Decider, type Decision, type Instant, refuse } from './decision.ts';
import { erased, isUnreadable } from './unreadable-fields.ts';
import type { CounterKind } from './sign-in-limits.ts';

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
  | { readonly type: 'AccountEnabled'; readonly data: { readonly epoch: number; readonly at: Instant } }
  /** The person is forgotten: the key of what the log holds of them is destroyed, and the account is never used again. */
  | { readonly type: 'AccountErased'; readonly data: { readonly at: Instant } }
  /** Wrong passwords make the next attempts wait. For auditors; the counters are not in the log. */
  | {
      readonly type: 'SignInBlocked';
      readonly data: {
        readonly counter: BlockingCounter;
        readonly failures: number;
        readonly until: Instant;
        readonly at: Instant;
      };
    }
  /** An operator had the failures forgotten that were counted for the account. */
  | { readonly type: 'SignInUnblocked'; readonly data: { readonly at: Instant } };

/** Whose failures it was: a browser known to the account, one address, or all other browsers together. */
export type BlockingCounter = Extract<CounterKind, 'device' | 'account-and-address' | 'account'>;

/** The claim on an e-mail address, in a stream of its own: the first append wins, until it is released. */
export type EmailEvent =
  | { readonly type: 'EmailClaimed'; readonly data: { readonly userId: string; readonly at: Instant } }
  | { readonly type: 'EmailReleased'; readonly data: { readonly userId: string; readonly at: Instant } };

export type Account =
  | { readonly status: 'absent' }
  | {
      readonly status: 'enabled' | 'disabled' | 'erased';
      readonly userId: string;
      readonly email: string;
      readonly name: string;
      readonly roles: readonly Role[];
      /** Null until a password is set: nobody can sign in. */
      readonly passwordHash: string | null;
      /** How often it was disabled. */
      readonly epoch: number;
      /** When a block of sign-ins was last noted. */
      readonly blockNotedAt: Instant | null;
    };

export const accountDecider: Decider<Account, AccountEvent> = {
  initial: { status: 'absent' },
  evolve: (account, event) => {
    if (event.type === 'AccountCreated') {
      const { userId, email, name, roles } = event.data;
      const fresh = { passwordHash: null, epoch: 0, blockNotedAt: null };
      return { status: 'enabled', userId, email, name, roles, ...fresh };
    }
    if (account.status === 'absent') return account;
    switch (event.type) {
      case 'PasswordSet':
        return {
          ...account,
          passwordHash: isUnreadable(event.data.passwordHash) ? null : event.data.passwordHash,
        };
      case 'AccountDisabled':
        return { ...account, status: 'disabled', epoch: event.data.epoch };
      case 'AccountEnabled':
        return { ...account, status: 'enabled', epoch: event.data.epoch };
      case 'AccountErased':
        return { ...account, status: 'erased', email: erased, name: erased, passwordHash: null };
      case 'SignInBlocked':
        return { ...account, blockNotedAt: event.data.at };
      case 'SignInUnblocked':
        return { ...account, blockNotedAt: null };
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

/** Another password; whoever was signed in with the one before has to sign in again. The very same hash changes nothing. */
export const setPassword = (
  account: Account,
  { passwordHash, now }: { readonly passwordHash: string; readonly now: Instant },
): Decision<AccountEvent, 'user-unknown' | 'user-erased'> => {
  if (account.status === 'absent') return refuse('user-unknown');
  if (account.status === 'erased') return refuse('user-erased');
  if (account.passwordHash === passwordHash) return accept();
  return accept({ type: 'PasswordSet', data: { passwordHash, at: now } });
};

type ChangeAccount = { readonly now: Instant };

/** Shuts the user out and ends the user's own grants (RT-17). Disabling twice changes nothing. */
export const disableAccount = (
  account: Account,
  { now }: ChangeAccount,
): Decision<AccountEvent, 'user-unknown'> => {
  if (account.status === 'absent') return refuse('user-unknown');
  if (account.status !== 'enabled') return accept();
  return accept({ type: 'AccountDisabled', data: { epoch: account.epoch + 1, at: now } });
};

/** Lets the user sign in again; what the disabling has ended stays ended. */
export const enableAccount = (
  account: Account,
  { now }: ChangeAccount,
): Decision<AccountEvent, 'user-unknown' | 'user-erased'> => {
  if (account.status === 'absent') return refuse('user-unknown');
  if (account.status === 'erased') return refuse('user-erased');
  if (account.status === 'enabled') return accept();
  return accept({ type: 'AccountEnabled', data: { epoch: account.epoch, at: now } });
};

/** Forgets the person, after everything that hung on the account was ended by disabling it. Erasing twice changes nothing. */
export const eraseAccount = (
  account: Account,
  { now }: ChangeAccount,
): Decision<AccountEvent, 'user-unknown' | 'user-enabled'> => {
  if (account.status === 'absent') return refuse('user-unknown');
  if (account.status === 'enabled') return refuse('user-enabled');
  if (account.status === 'erased') return accept();
  return accept({ type: 'AccountErased', data: { at: now } });
};

/** How long an account's log says nothing of further blocks: a flood of attempts must not become a flood of events. */
const blocksNotedEvery = 6 * 3_600_000;

/** Notes that sign-ins are made to wait, at most once in a while. */
export const noteSignInBlocked = (
  account: Account,
  {
    now,
    ...block
  }: {
    readonly counter: BlockingCounter;
    readonly failures: number;
    readonly until: Instant;
    readonly now: Instant;
  },
): Decision<AccountEvent> => {
  if (account.status === 'absent') return accept();
  const { blockNotedAt } = account;
  if (blockNotedAt !== null && now < blockNotedAt + blocksNotedEvery) return accept();
  return accept({ type: 'SignInBlocked', data: { ...block, at: now } });
};

/** Notes that an operator lets the account's sign-ins go on; the next block is noted again. */
export const unblockSignIn = (
  account: Account,
  { now }: ChangeAccount,
): Decision<AccountEvent, 'user-unknown'> =>
  account.status === 'absent'
    ? refuse('user-unknown')
    : accept({ type: 'SignInUnblocked', data: { at: now } });

export type EmailClaim = { readonly userId: string | null };

export const emailDecider: Decider<EmailClaim, EmailEvent> = {
  initial: { userId: null },
  evolve: (_claim, event) => ({ userId: event.type === 'EmailClaimed' ? event.data.userId : null }),
};

/** The first claim stays: whoever comes later finds the user id that the address belongs to. */
export const claimEmail = (
  claim: EmailClaim,
  { userId, now }: { readonly userId: string; readonly now: Instant },
): Decision<EmailEvent> =>
  claim.userId === null ? accept({ type: 'EmailClaimed', data: { userId, at: now } }) : accept();

/** Lets go of an address: whoever comes next may claim it. What somebody else has claimed since stays theirs. */
export const releaseEmail = (
  claim: EmailClaim,
  { userId, now }: { readonly userId: string; readonly now: Instant },
): Decision<EmailEvent> =>
  claim.userId === userId ? accept({ type: 'EmailReleased', data: { userId, at: now } }) : accept();
