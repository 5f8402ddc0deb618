import type { Account, AccountEvent, KnownAccount, Role } from './account.ts';
import { type Decision, type Instant, refuse } from './decision.ts';
import type { LinkedIdentity } from './identity.ts';

/** What an identity provider says of a user at a sign-in. */
export type ProvidersWord = {
  readonly userId: string;
  readonly identity: LinkedIdentity;
  /** Null: not named; the account keeps the name that it has. */
  readonly name: string | null;
  /** The name of a new account if the provider names none. */
  readonly nameOtherwise: string;
  /** Normalised and valid. Null: not named; the account keeps the address that it has. */
  readonly email: string | null;
  readonly roles: readonly Role[];
  /** Existing organizations that the user administers by claim. */
  readonly organizationIds: readonly string[];
  /** `unlinkings` of the account when the identity was looked up. */
  readonly unlinkings: number;
  readonly now: Instant;
};

/**
 * Makes the account at the first sign-in, and brings it up to date at every later one (FE-03, FE-04): one decision, so
 * that nobody sees half of it. The same word again changes nothing. Roles that an operator gave are never touched. Refused
 * if an identity was unlinked since the lookup: it may be this one.
 */
export const takeProvidersWord = (
  account: Account,
  word: ProvidersWord,
): Decision<AccountEvent, 'user-disabled' | 'user-erased' | 'identity-unlinked'> => {
  if (account.status === 'disabled') return refuse('user-disabled');
  if (account.status === 'erased') return refuse('user-erased');
  const { userId, identity, name, nameOtherwise, email, now } = word;
  if (account.status === 'absent') {
    const person = { userId, email: email ?? '', name: name ?? nameOtherwise, roles: [] };
    return {
      events: [
        { type: 'AccountCreated', data: { ...person, at: now } },
        { type: 'IdentityLinked', data: { ...identity, at: now } },
        ...mapping({ rolesBySource: { manual: [], claim: [] }, mapped: [] }, word),
      ],
    };
  }
  if (account.unlinkings !== word.unlinkings) return refuse('identity-unlinked');
  return {
    events: [
      ...(isLinked(account, identity)
        ? []
        : [{ type: 'IdentityLinked', data: { ...identity, at: now } } as const]),
      ...(name === null || name === account.name
        ? []
        : [{ type: 'AccountRenamed', data: { name, at: now } } as const]),
      ...(email === null || email === account.email
        ? []
        : [{ type: 'AccountEmailChanged', data: { email, at: now } } as const]),
      ...mapping(account, word),
    ],
  };
};

const isLinked = ({ identities }: KnownAccount, { digest, provider }: LinkedIdentity): boolean =>
  identities.some((known) => known.digest === digest && known.provider === provider);

type Mapped = Pick<KnownAccount, 'rolesBySource' | 'mapped'>;

/** What changes the roles by claim to those of the claim. */
const mapping = (
  { rolesBySource, mapped }: Mapped,
  { roles, organizationIds, now }: Pick<ProvidersWord, 'roles' | 'organizationIds' | 'now'>,
): readonly AccountEvent[] => {
  const wanted = [...new Set(roles)];
  const present = rolesBySource.claim;
  const ids = [...new Set(organizationIds)].sort();
  return [
    ...wanted
      .filter((role) => !present.includes(role))
      .map((role): AccountEvent => ({ type: 'RoleGranted', data: { role, source: 'claim', at: now } })),
    ...present
      .filter((role) => !wanted.includes(role))
      .map((role): AccountEvent => ({ type: 'RoleRemoved', data: { role, source: 'claim', at: now } })),
    ...(ids.join() === mapped.join()
      ? []
      : [{ type: 'OrganizationsMapped', data: { organizationIds: ids, at: now } } as const]),
  ];
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

/**
 * Unlinks every identity of a provider. Roles by claim end with it: no later sign-in of that identity would end them.
 * Another identity of the account brings its own back.
 */
export const unlinkIdentities = (
  account: Account,
  { provider, now }: { readonly provider: string; readonly now: Instant },
): Decision<AccountEvent, 'user-unknown'> => {
  if (account.status === 'absent') return refuse('user-unknown');
  const unlinked = account.identities
    .filter((identity) => identity.provider === provider)
    .map(({ digest }): AccountEvent => ({ type: 'IdentityUnlinked', data: { provider, digest, at: now } }));
  const nothing = { roles: [], organizationIds: [], now };
  return { events: unlinked.length === 0 ? [] : [...unlinked, ...mapping(account, nothing)] };
};
