import { accept, type Decider, type Decision, type Instant, refuse, type At } from '../kernel/decision.ts';
import type { DataIn, EventsIn } from '../describe-event.ts';
import type { accountEvents, emailEvents } from './events.ts';
import type { LinkedIdentity } from './identity.ts';
import { type BySource, bySource, fromAnySource, withAdded, withRemoved } from './role-source.ts';
import { evolvePasskeys, type Passkey } from './passkey.ts';
import { erased, isUnreadable } from '../kernel/unreadable-fields.ts';

export type AccountEvent = EventsIn<typeof accountEvents>;
export type EmailEvent = EventsIn<typeof emailEvents>;

type RoleOfEvent = DataIn<typeof accountEvents, 'RoleGranted'>;
export type Role = RoleOfEvent['role'];

/**
 * Who says that an address is the user's: an operator, who typed it, or the identity provider's `email_verified`. An
 * address that nobody vouches for is shown and never used: it is not claimed, finds no account and receives no mail.
 */
export type VouchedBy = NonNullable<DataIn<typeof accountEvents, 'AccountCreated'>['emailVouchedBy']>;

export type BlockingCounter = DataIn<typeof accountEvents, 'SignInBlocked'>['counter'];

export type Account =
  | { readonly status: 'absent' }
  | {
      readonly status: 'enabled' | 'disabled' | 'erased';
      readonly userId: string;
      /** Empty: the identity provider named no address. */
      readonly email: string;
      readonly emailVouchedBy: VouchedBy;
      /** Every address that it has had, the present one among them: earlier claims on them may have to be released. */
      readonly emails: readonly string[];
      readonly name: string;
      readonly roles: readonly Role[];
      readonly rolesBySource: BySource<Role>;
      readonly identities: readonly LinkedIdentity[];
      readonly passkeys: readonly Passkey[];
      /** Digests of identities that were unlinked and not linked again: their claims may have to be released. */
      readonly unlinked: readonly string[];
      /** The organizations that the user administers by claim, since the last sign-in. */
      readonly mapped: readonly string[];
      /** When a sign-in last confirmed what claims gave, and when the user has signed out there since; null: never, not. */
      readonly confirmedAt: Instant | null;
      readonly signedOutAt: Instant | null;
      /** Every organization that a claim ever named: where the mapping may have to remove the user. */
      readonly everMapped: readonly string[];
      /** The publishers that the user is a member of by claim, and every one that a claim ever named. */
      readonly publishers: readonly string[];
      readonly everPublishers: readonly string[];
      /** Null until a password is set: nobody can sign in. */
      readonly passwordHash: string | null;
      readonly passwordSetAt: Instant | null;
      /** The link by which the user may choose a password, even if it has expired. */
      readonly link: {
        readonly digest: string;
        readonly expiresAt: Instant;
        /** No mail server took the mail with it. */
        readonly isNotMailed?: true;
      } | null;
      readonly epoch: number;
      /** When it was last disabled or erased; null: never. */
      readonly disabledAt: Instant | null;
      /** Null: as the browser says, and UTC. */
      readonly language: string | null;
      readonly timeZone: string | null;
      readonly blockNotedAt: Instant | null;
    };

/** An account that exists. */
export type KnownAccount = Exclude<Account, { readonly status: 'absent' }>;

const fresh = {
  identities: [],
  passkeys: [],
  unlinked: [],
  mapped: [],
  confirmedAt: null,
  signedOutAt: null,
  everMapped: [],
  publishers: [],
  everPublishers: [],
  passwordHash: null,
  passwordSetAt: null,
  link: null,
  epoch: 0,
  disabledAt: null,
  language: null,
  timeZone: null,
  blockNotedAt: null,
} as const;

const withRoles = (account: KnownAccount, rolesBySource: BySource<Role>): KnownAccount => ({
  ...account,
  rolesBySource,
  roles: fromAnySource(rolesBySource),
});

const confirmedBy = ({ source, at }: RoleOfEvent, account: KnownAccount): KnownAccount =>
  source === 'claim' ? { ...account, confirmedAt: at, signedOutAt: null } : account;

/** Whether the user has any right that a provider's claim gave. */
export const hasRightsByClaim = ({
  rolesBySource,
  mapped,
  publishers,
}: Pick<KnownAccount, 'rolesBySource' | 'mapped' | 'publishers'>): boolean =>
  rolesBySource.claim.length > 0 || mapped.length > 0 || publishers.length > 0;

/** Until when administrator tokens have rights of a provider's claim, `maxAge` milliseconds after a sign-in; null for none. */
export const claimsCountUntil = (account: KnownAccount, maxAge: number): Instant | null => {
  if (!hasRightsByClaim(account)) return null;
  return account.signedOutAt ?? (account.confirmedAt ?? 0) + maxAge;
};

const withoutIdentity = ({ identities }: KnownAccount, digest: string) =>
  identities.filter((identity) => identity.digest !== digest);

const without = (values: readonly string[], value: string) => values.filter((other) => other !== value);

/** Another address ends the link that was mailed to the one before. */
const withEmail = (account: KnownAccount, email: string, emailVouchedBy: VouchedBy): KnownAccount => ({
  ...account,
  email,
  emailVouchedBy,
  emails: [...without(account.emails, email), email],
  link: email === account.email && emailVouchedBy !== 'nobody' ? account.link : null,
});

/** The address by which the account is found and reached: that it records, and that somebody vouches for. */
export const addressOf = (account: Account): string | null =>
  account.status === 'absent' ||
  account.status === 'erased' ||
  account.email === '' ||
  account.emailVouchedBy === 'nobody' ||
  isUnreadable(account.email)
    ? null
    : account.email;

export const accountDecider: Decider<Account, AccountEvent> = {
  initial: { status: 'absent' },
  evolve: (account, event) => {
    if (event.type === 'AccountCreated') {
      const { userId, email, emailVouchedBy, name, roles } = event.data;
      const rolesBySource = { ...bySource, manual: roles };
      const person = { userId, email, emailVouchedBy, emails: [email], name };
      return { status: 'enabled', ...person, roles, rolesBySource, ...fresh };
    }
    if (account.status === 'absent') return account;
    switch (event.type) {
      case 'PasswordSet':
        return {
          ...account,
          passwordHash: isUnreadable(event.data.passwordHash) ? null : event.data.passwordHash,
          passwordSetAt: event.data.at,
          link: null,
        };
      case 'PasswordLinkIssued': {
        const { digest, expiresAt } = event.data;
        return { ...account, link: { digest, expiresAt } };
      }
      case 'PasswordLinkNotMailed': {
        const { link } = account;
        return link?.digest === event.data.digest
          ? { ...account, link: { ...link, isNotMailed: true } }
          : account;
      }
      case 'AccountDisabled':
        return {
          ...account,
          status: 'disabled',
          epoch: event.data.epoch,
          disabledAt: event.data.at,
          link: null,
        };
      case 'AccountEnabled':
        return { ...account, status: 'enabled', epoch: event.data.epoch };
      case 'SessionsEnded':
        return account;
      case 'AccountErased':
        return {
          ...account,
          status: 'erased',
          disabledAt: event.data.at,
          email: erased,
          name: erased,
          passwordHash: null,
          link: null,
          identities: account.identities.map((identity) => ({ ...identity, subject: erased })),
          passkeys: [],
        };
      case 'AccountRenamed':
        return { ...account, name: event.data.name };
      case 'PreferencesChosen': {
        const { language, timeZone } = event.data;
        return { ...account, language: chosen(language), timeZone: chosen(timeZone) };
      }
      case 'AccountEmailChanged':
        return withEmail(account, event.data.email, event.data.emailVouchedBy);
      case 'RoleGranted':
        return confirmedBy(
          event.data,
          withRoles(account, withAdded(account.rolesBySource, event.data.source, event.data.role)),
        );
      case 'RoleRemoved':
        return confirmedBy(
          event.data,
          withRoles(account, withRemoved(account.rolesBySource, event.data.source, event.data.role)),
        );
      case 'IdentityLinked': {
        const { at: _, ...identity } = event.data;
        return {
          ...account,
          identities: [...withoutIdentity(account, identity.digest), identity],
          unlinked: without(account.unlinked, identity.digest),
        };
      }
      case 'IdentityUnlinked':
        return {
          ...account,
          identities: withoutIdentity(account, event.data.digest),
          unlinked: [...without(account.unlinked, event.data.digest), event.data.digest],
        };
      case 'PasskeyAdded':
      case 'PasskeyRenamed':
      case 'PasskeyRemoved':
        return { ...account, passkeys: evolvePasskeys(account.passkeys, event) };
      case 'OrganizationsMapped': {
        const { organizationIds, at, signedOut } = event.data;
        const everMapped = [...new Set([...account.everMapped, ...organizationIds])];
        const known = { ...account, mapped: organizationIds, everMapped };
        return signedOut ? { ...known, signedOutAt: at } : { ...known, confirmedAt: at, signedOutAt: null };
      }
      case 'PublishersMapped': {
        const { publisherIds, at } = event.data;
        const everPublishers = [...new Set([...account.everPublishers, ...publisherIds])];
        return { ...account, publishers: publisherIds, everPublishers, confirmedAt: at, signedOutAt: null };
      }
      case 'SignInBlocked':
        return { ...account, blockNotedAt: event.data.at };
      case 'SignInUnblocked':
        return { ...account, blockNotedAt: null };
    }
  },
};

const chosen = (value: string): string | null => (value === '' || isUnreadable(value) ? null : value);

/** The address for people: marked where nobody vouches for it. */
export const shownEmail = (account: KnownAccount): string =>
  account.email === '' || isUnreadable(account.email) || account.emailVouchedBy !== 'nobody'
    ? account.email
    : `${account.email} (not verified)`;

/** Under what attempts to guess the password of an account are counted: the address that finds it, or its id. */
export const countedAs = (account: KnownAccount): string => addressOf(account) ?? `user ${account.userId}`;

export type CreateAccountCommand = {
  readonly userId: string;
  readonly email: string;
  readonly name: string;
  readonly roles: readonly Role[];
  readonly passwordHash: string;
  readonly now: Instant;
};

/** The account is created together with its password, so that there is never an account that nobody can sign in to. */
export const createAccount = (
  account: Account,
  { passwordHash, now, ...person }: CreateAccountCommand,
): Decision<AccountEvent, 'account-exists'> =>
  account.status === 'absent'
    ? accept(
        { type: 'AccountCreated', data: { ...person, emailVouchedBy: 'operator', at: now } },
        { type: 'PasswordSet', data: { passwordHash, at: now, ended: null } },
      )
    : refuse('account-exists');

/** Sets another password. What began with the old one ends: sessions, administrator tokens, a link. The same hash changes nothing. */
export const setPassword = (
  account: Account,
  { passwordHash, now }: At<'passwordHash'>,
): Decision<AccountEvent, 'user-unknown' | 'user-erased'> => {
  if (account.status === 'absent') return refuse('user-unknown');
  if (account.status === 'erased') return refuse('user-erased');
  if (account.passwordHash === passwordHash) return accept();
  return accept(passwordSet(passwordHash, now));
};

const passwordSet = (
  passwordHash: string,
  now: Instant,
  exceptSession: string | null = null,
): AccountEvent => ({ type: 'PasswordSet', data: { passwordHash, at: now, ended: { exceptSession } } });

/** Sets another password for a user who has proved to know the one with `presentHash`. The user's session stays. */
export const changePassword = (
  account: Account,
  {
    presentHash,
    passwordHash,
    sessionId,
    now,
  }: {
    readonly presentHash: string | null;
    readonly passwordHash: string;
    readonly sessionId: string;
    readonly now: Instant;
  },
): Decision<AccountEvent, 'password-changed' | 'user-disabled'> => {
  if (account.status !== 'enabled') return refuse('user-disabled');
  if (account.passwordHash === passwordHash) return accept();
  if (presentHash === null || account.passwordHash !== presentHash) return refuse('password-changed');
  return accept(passwordSet(passwordHash, now, sessionId));
};

/** For how long a link is valid, in milliseconds. */
export const linkValidFor = 24 * 3_600_000;

type IssueLink = { readonly digest: string; readonly expiresAt: Instant; readonly now: Instant };

const linkIssued = (
  purpose: 'invitation' | 'reset',
  { digest, expiresAt, now }: IssueLink,
): AccountEvent => ({ type: 'PasswordLinkIssued', data: { digest, purpose, expiresAt, at: now } });

/** Creates an account whose user chooses the password by a link; the same unused invitation makes another link. */
export const inviteAccount = (
  account: Account,
  { userId, email, name, ...link }: IssueLink & Pick<CreateAccountCommand, 'userId' | 'email' | 'name'>,
): Decision<AccountEvent, 'account-exists'> => {
  if (account.status === 'absent')
    return accept(
      {
        type: 'AccountCreated',
        data: { userId, email, emailVouchedBy: 'operator', name, roles: [], at: link.now },
      },
      linkIssued('invitation', link),
    );
  const isRepeat =
    account.status === 'enabled' &&
    account.passwordSetAt === null &&
    account.link !== null &&
    account.name === name &&
    account.email === email;
  if (!isRepeat) return refuse('account-exists');
  return account.link.digest === link.digest ? accept() : accept(linkIssued('invitation', link));
};

/** Lets the user choose another password by a link, which replaces an older one. */
export const issuePasswordLink = (
  account: Account,
  link: IssueLink,
): Decision<AccountEvent, 'user-unknown' | 'user-erased' | 'user-disabled'> => {
  if (account.status === 'absent') return refuse('user-unknown');
  if (account.status === 'erased') return refuse('user-erased');
  if (account.status === 'disabled') return refuse('user-disabled');
  if (account.link?.digest === link.digest) return accept();
  return accept(linkIssued(account.passwordSetAt === null ? 'invitation' : 'reset', link));
};

/** Records that no mail server took a link. */
export const noteLinkNotMailed = (account: Account, { digest, now }: At<'digest'>): Decision<AccountEvent> =>
  account.status !== 'absent' && account.link?.digest === digest
    ? accept({ type: 'PasswordLinkNotMailed', data: { digest, at: now } })
    : accept();

/** Whether a link may be used now: only the newest one, once, in time, and of an account that is enabled. */
export const isLinkValid = (account: Account, { digest, now }: At<'digest'>): boolean =>
  account.status === 'enabled' &&
  account.link !== null &&
  account.link.digest === digest &&
  now < account.link.expiresAt;

/** Sets the password that the user of a link has chosen; this uses up the link. */
export const choosePassword = (
  account: Account,
  { passwordHash, ...link }: At<'digest' | 'passwordHash'>,
): Decision<AccountEvent, 'link-unknown'> => {
  // The first attempt did succeed, and its answer was lost.
  if (account.status === 'enabled' && account.passwordHash === passwordHash) return accept();
  return isLinkValid(account, link) ? accept(passwordSet(passwordHash, link.now)) : refuse('link-unknown');
};

/** Locks the user out and ends the user's own grants (RT-17). Disabling twice changes nothing. */
export const disableAccount = (account: Account, { now }: At): Decision<AccountEvent, 'user-unknown'> => {
  if (account.status === 'absent') return refuse('user-unknown');
  if (account.status !== 'enabled') return accept();
  return accept({ type: 'AccountDisabled', data: { epoch: account.epoch + 1, at: now } });
};

/** Ends all sessions of the user, or all except one. Sessions that begin later are not affected. */
export const endSessions = (
  account: Account,
  { exceptSession, now }: At & { readonly exceptSession: string | null },
): Decision<AccountEvent, 'user-unknown'> =>
  account.status === 'absent'
    ? refuse('user-unknown')
    : accept({ type: 'SessionsEnded', data: { exceptSession, at: now } });

/** Lets the user sign in again. What ended when the account was disabled stays ended. */
export const enableAccount = (
  account: Account,
  { now }: At,
): Decision<AccountEvent, 'user-unknown' | 'user-erased'> => {
  if (account.status === 'absent') return refuse('user-unknown');
  if (account.status === 'erased') return refuse('user-erased');
  if (account.status === 'enabled') return accept();
  return accept({ type: 'AccountEnabled', data: { epoch: account.epoch, at: now } });
};

/** Erases the person; disabling comes first and ends what depends on the account. Repeatable. */
export const eraseAccount = (
  account: Account,
  { now }: At,
): Decision<AccountEvent, 'user-unknown' | 'user-enabled'> => {
  if (account.status === 'absent') return refuse('user-unknown');
  if (account.status === 'enabled') return refuse('user-enabled');
  if (account.status === 'erased') return accept();
  return accept({ type: 'AccountErased', data: { at: now } });
};

/** After one recorded block, further ones of the account are not recorded for this long: a flood must not become events. */
const blocksNotedEvery = 6 * 3_600_000;

/** Records that sign-ins are blocked, at most once per `blocksNotedEvery`. */
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

/** Records that an operator unblocked the account's sign-ins. The next block is recorded again. */
export const unblockSignIn = (account: Account, { now }: At): Decision<AccountEvent, 'user-unknown'> =>
  account.status === 'absent'
    ? refuse('user-unknown')
    : accept({ type: 'SignInUnblocked', data: { at: now } });

export type EmailClaim = { readonly userId: string | null };

export const emailDecider: Decider<EmailClaim, EmailEvent> = {
  initial: { userId: null },
  evolve: (_claim, event) => ({ userId: event.type === 'EmailClaimed' ? event.data.userId : null }),
};

/** The first claim wins. Later callers get the user id that the address belongs to. */
export const claimEmail = (claim: EmailClaim, { userId, now }: At<'userId'>): Decision<EmailEvent> =>
  claim.userId === null ? accept({ type: 'EmailClaimed', data: { userId, at: now } }) : accept();

/** Releases an address, so that it can be claimed again. If another user has claimed it since, it stays theirs. */
export const releaseEmail = (claim: EmailClaim, { userId, now }: At<'userId'>): Decision<EmailEvent> =>
  claim.userId === userId ? accept({ type: 'EmailReleased', data: { userId, at: now } }) : accept();
