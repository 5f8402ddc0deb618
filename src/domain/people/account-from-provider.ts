import {
  type Account,
  type AccountEvent,
  hasRightsByClaim,
  type KnownAccount,
  type Role,
} from './account.ts';
import { accept, type Decision, type Instant, refuse, type At } from '../kernel/decision.ts';
import type { LinkedIdentity } from './identity.ts';

/** What an identity provider says of a user at a sign-in. */
export type ProvidersWord = {
  readonly userId: string;
  readonly identity: LinkedIdentity;
  /** Null: not named, or like an address; the account keeps the name that it has. */
  readonly name: string | null;
  /** The name of a new account if the provider names none: no address, and nothing of one that nobody vouches for. */
  readonly nameOtherwise: string;
  /** Normalised and valid. Null: not named; the account keeps the address that it has. */
  readonly email: string | null;
  /** The provider vouches for the address, and the account has claimed it. */
  readonly isOwnEmail: boolean;
  readonly roles: readonly Role[];
  /** Existing organizations that the user administers by claim. */
  readonly organizationIds: readonly string[];
  /** Existing publishers that the user is a member of by claim. */
  readonly publisherIds: readonly string[];
  readonly now: Instant;
};

/**
 * Makes the account, or brings it up to date (FE-03, FE-04), in one decision. Roles by operators stay; an unlinked identity is refused.
 * A new account does not own its address: it is claimed for an account that exists.
 */
export const takeProvidersWord = (
  account: Account,
  word: ProvidersWord,
): Decision<AccountEvent, 'user-disabled' | 'user-erased' | 'identity-unlinked'> => {
  if (account.status !== 'absent' && account.unlinked.includes(word.identity.digest))
    return refuse('identity-unlinked');
  if (account.status === 'disabled') return refuse('user-disabled');
  if (account.status === 'erased') return refuse('user-erased');
  const { userId, identity, name, nameOtherwise, email, now } = word;
  if (account.status === 'absent') {
    const person = { userId, email: email ?? '', name: name ?? nameOtherwise, roles: [] };
    return {
      events: [
        { type: 'AccountCreated', data: { ...person, emailVouchedBy: 'nobody', at: now } },
        { type: 'IdentityLinked', data: { ...identity, at: now } },
        ...mapping(
          {
            rolesBySource: { manual: [], claim: [] },
            mapped: [],
            publishers: [],
            confirmedAt: null,
            signedOutAt: null,
          },
          word,
        ),
      ],
    };
  }
  return {
    events: [
      ...(isLinked(account, identity)
        ? []
        : [{ type: 'IdentityLinked', data: { ...identity, at: now } } as const]),
      ...(name === null || name === account.name
        ? []
        : [{ type: 'AccountRenamed', data: { name, at: now } } as const]),
      ...emailOf(account, word),
      ...mapping(account, word),
    ],
  };
};

const isLinked = ({ identities }: KnownAccount, { digest, provider }: LinkedIdentity): boolean =>
  identities.some((known) => known.digest === digest && known.provider === provider);

/**
 * The account follows the provider, also from an address that the provider vouched for to one that it does not. What an
 * operator vouched for only gives way to what the provider vouches for.
 */
const emailOf = (
  account: KnownAccount,
  { email, isOwnEmail, now }: ProvidersWord,
): readonly AccountEvent[] => {
  if (email === null) return [];
  const isOperators = account.emailVouchedBy === 'operator' && account.email !== '';
  const isKept = isOperators
    ? !isOwnEmail || account.email === email
    : account.email === email && isOwnEmail === (account.emailVouchedBy === 'provider');
  const emailVouchedBy = isOwnEmail ? 'provider' : 'nobody';
  return isKept ? [] : [{ type: 'AccountEmailChanged', data: { email, emailVouchedBy, at: now } }];
};

type Mapped = Pick<KnownAccount, 'rolesBySource' | 'mapped' | 'publishers' | 'confirmedAt' | 'signedOutAt'>;

/** A sign-in within this time of the last recorded one adds no event: in milliseconds. */
const confirmedEvery = 3_600_000;

/** What changes the roles by claim to those of the claim, and confirms those that stay. */
const mapping = (
  known: Mapped,
  {
    roles,
    organizationIds,
    publisherIds,
    now,
  }: Pick<ProvidersWord, 'roles' | 'organizationIds' | 'publisherIds' | 'now'>,
): readonly AccountEvent[] => {
  const wanted = [...new Set(roles)];
  const present = known.rolesBySource.claim;
  const ids = [...new Set(organizationIds)].sort();
  const publishers = [...new Set(publisherIds)].sort();
  const changedRoles: readonly AccountEvent[] = [
    ...wanted
      .filter((role) => !present.includes(role))
      .map((role): AccountEvent => ({ type: 'RoleGranted', data: { role, source: 'claim', at: now } })),
    ...present
      .filter((role) => !wanted.includes(role))
      .map((role): AccountEvent => ({ type: 'RoleRemoved', data: { role, source: 'claim', at: now } })),
    ...(publishers.join() === known.publishers.join()
      ? []
      : [{ type: 'PublishersMapped', data: { publisherIds: publishers, at: now } } as const]),
  ];
  const isChanged = ids.join() !== known.mapped.join();
  const isToConfirm = changedRoles.length === 0 && hasRightsByClaim(known) && !isConfirmed(known, now);
  if (!isChanged && !isToConfirm) return changedRoles;
  const data = { organizationIds: ids, at: now, signedOut: null };
  return [...changedRoles, { type: 'OrganizationsMapped', data }];
};

const isConfirmed = ({ confirmedAt, signedOutAt }: Mapped, now: Instant): boolean =>
  signedOutAt === null && confirmedAt !== null && now < confirmedAt + confirmedEvery;

/** The user signed out at the provider: until the next sign-in there, tokens lack what its claims gave. Repeatable. */
export const signOutAtProvider = (
  account: Account,
  { provider, now }: At<'provider'>,
): Decision<AccountEvent> => {
  if (account.status === 'absent' || account.status === 'erased') return accept();
  const isTheirs = account.identities.some((identity) => identity.provider === provider);
  if (!isTheirs || account.signedOutAt !== null || !hasRightsByClaim(account)) return accept();
  const data = { organizationIds: account.mapped, at: now, signedOut: true } as const;
  return accept({ type: 'OrganizationsMapped', data });
};

/** Links an identity to an existing account. Linking twice changes nothing. */
export const linkIdentity = (
  account: Account,
  { identity, now }: { readonly identity: LinkedIdentity; readonly now: Instant },
): Decision<AccountEvent, 'user-unknown' | 'user-erased'> => {
  if (account.status === 'absent') return refuse('user-unknown');
  if (account.status === 'erased') return refuse('user-erased');
  return {
    events: isLinked(account, identity) ? [] : [{ type: 'IdentityLinked', data: { ...identity, at: now } }],
  };
};

/** Unlinks a provider's identities and ends roles by claim; another identity of the account brings its own back. */
export const unlinkIdentities = (
  account: Account,
  { provider, now }: At<'provider'>,
): Decision<AccountEvent, 'user-unknown'> =>
  account.status === 'absent'
    ? refuse('user-unknown')
    : { events: unlinked(account, (identity) => identity.provider === provider, now) };

export const disownIdentity = (account: Account, { digest, now }: At<'digest'>): Decision<AccountEvent> => ({
  events: account.status === 'absent' ? [] : unlinked(account, (identity) => identity.digest === digest, now),
});

export const unlinkAll = (account: Account, now: Instant): readonly AccountEvent[] =>
  account.status === 'absent' ? [] : unlinked(account, () => true, now);

/** What unlinks these identities, and ends the roles by claim. */
const unlinked = (
  account: KnownAccount,
  isMeant: (identity: LinkedIdentity) => boolean,
  now: Instant,
): readonly AccountEvent[] => {
  const events = account.identities.filter(isMeant).map(({ provider, digest }): AccountEvent => ({
    type: 'IdentityUnlinked',
    data: { provider, digest, at: now },
  }));
  return events.length === 0
    ? []
    : [...events, ...mapping(account, { roles: [], organizationIds: [], publisherIds: [], now })];
};
