import type { AccountOfIdentity } from '../commands/people/accounts/account-of-identity.ts';
import type { SignInProvider } from '../config/sign-in-providers.ts';
import type { Role } from '../domain/people/account.ts';
import { ProviderTrouble } from './provider-trouble.ts';

/** What a provider says about a user, in our words. */
export type MappedClaims = Pick<AccountOfIdentity, 'name' | 'email' | 'emailVerified'> & {
  readonly mapped: Required<AccountOfIdentity['mapped']>;
};

type Claims = Readonly<Record<string, unknown>>;

const longestText = 2_000;

/** More entries than any real directory gives one user are refused as a whole, rather than cut. */
const mostEntries = 10_000;
const longestEntry = 200;

/** The claim of this name; where there is none, a name with dots is a path, as in Keycloak's `realm_access.roles`. */
export const claimOf = (claims: Claims, name: string): unknown => {
  if (Object.hasOwn(claims, name)) return claims[name] ?? undefined;
  let value: unknown = claims;
  for (const part of name.split('.')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, part)) return undefined;
    value = (value as Claims)[part];
  }
  return value ?? undefined;
};

/**
 * What an id_token and a UserInfo response say together; the id_token goes first. `email_verified` is about the `email` next
 * to it: it is not taken from a place with another address.
 */
export const joinClaims = (idToken: Claims, userInfo: Claims): Claims => {
  const joined = { ...userInfo, ...idToken };
  const about = [idToken, userInfo].find(
    (said) => said['email'] === joined['email'] && Object.hasOwn(said, 'email_verified'),
  );
  const { email_verified: _ofEither, ...rest } = joined;
  return about ? { ...rest, email_verified: about['email_verified'] } : rest;
};

/** @throws ProviderTrouble when a claim that gives roles is of another type than a list */
export const readClaims = (
  claims: Claims,
  { claims: names, emailVerified }: Pick<SignInProvider, 'claims' | 'emailVerified'>,
): MappedClaims => ({
  name: textIn(claims, names.name),
  email: textIn(claims, names.email),
  emailVerified: isVouchedFor(claims, names.email, emailVerified),
  mapped: {
    administratorOf: listIn(claims, names.administratorOf, ['organization_id', 'external_id', 'id']),
    roles: rolesIn(claims, names.roles).filter(isRole),
    publishers: rolesIn(claims, names.roles)
      .filter((value) => value.startsWith(ofPublisher))
      .map((value) => value.slice(ofPublisher.length)),
  },
});

const rolesIn = (claims: Claims, name: string | null) => listIn(claims, name, ['role', 'name', 'id']);

/** Of a role `publisher:ID`. */
const ofPublisher = 'publisher:';

/** Only `true` vouches, and only for the claim `email` (OpenID Connect Core §5.1), also with `assumed`. */
const isVouchedFor = (
  claims: Claims,
  name: string | null,
  setting: SignInProvider['emailVerified'],
): boolean => {
  if (!Object.hasOwn(claims, 'email_verified')) return setting === 'assumed';
  return claims['email_verified'] === true && textIn(claims, name) === textIn(claims, 'email');
};

const isRole = (value: string): value is Role => value === 'auditor' || value === 'operator';

/** Null for what is no text; whether it is a name or an address is for the account to decide. */
const textIn = (claims: Claims, name: string | null): string | null => {
  const value = name === null ? undefined : claimOf(claims, name);
  return typeof value === 'string' && value !== '' ? value.slice(0, longestText) : null;
};

/** Texts, or objects with one of `keys`. Other entries are ignored; one text stands for a list of one. */
const listIn = (claims: Claims, name: string | null, keys: readonly string[]): readonly string[] => {
  const value = name === null ? undefined : claimOf(claims, name);
  if (value === undefined) return [];
  const list: unknown = typeof value === 'string' ? [value] : value;
  if (!Array.isArray(list)) throw unusable(`its claim "${name}" is no list`);
  if (list.length > mostEntries) throw unusable(`its claim "${name}" has more than ${mostEntries} entries`);
  const texts = list.flatMap((entry: unknown) => entryIn(entry, keys) ?? []);
  // No name has NUL, and PostgreSQL refuses to look for it.
  return [...new Set(texts)].filter(
    (text) => text !== '' && text.length <= longestEntry && !text.includes('\0'),
  );
};

const entryIn = (entry: unknown, keys: readonly string[]): string | null => {
  if (typeof entry === 'string') return entry;
  if (typeof entry !== 'object' || entry === null) return null;
  const key = keys.find((candidate) => typeof (entry as Claims)[candidate] === 'string');
  return key === undefined ? null : String((entry as Claims)[key]);
};

const unusable = (found: string): ProviderTrouble => new ProviderTrouble('claims-unusable', found);
