import { z } from 'zod';
import { addressOf, type KnownAccount } from '../../domain/people/account.ts';
import { isUlid } from '../../domain/kernel/ids.ts';
import { administersBy } from '../../domain/organizations/organization.ts';
import { isMemberBy } from '../../domain/publishers/publisher.ts';
import type { Services } from '../task.ts';
import { accountNow, organizationNow, publisherNow } from '../../eventstore/state-of.ts';
import { idOf, nameOf, shown, state } from '../answer-fields.ts';

export const userRoles = ['administrator', 'auditor', 'operator', 'publisher'] as const;
const sources = ['manual', 'claim'] as const;

export const userShape = z.object({
  user_id: idOf('user'),
  name: nameOf(),
  email: shown(z.string(), { isSecond: true })
    .nullable()
    .describe('`null`: the identity provider names none.'),
  email_verified: shown(z.boolean(), { from: 'l' }).describe(
    'Whether an operator or the identity provider vouches for the address. If not, it is shown and never used.',
  ),
  roles: shown(
    z.array(
      z.object({
        role: shown(z.enum(userRoles), { as: 'word' }),
        organization_id: idOf('organization').nullable().describe('Of an administrator.'),
        publisher_id: idOf('publisher').nullable().describe('Of a member of a publisher.'),
        source: shown(z.enum(sources), { as: 'word' }).describe(
          '`manual`: given by an operator; `claim`: named by the identity provider.',
        ),
      }),
    ),
    { from: 'm' },
  ).readonly(),
  identities: z
    .array(z.object({ provider: z.string(), issuer: z.string(), subject: z.string() }))
    .readonly()
    .describe('With which the user signs in at identity providers.'),
  passkeys: z
    .array(
      z.object({
        passkey_id: z.string(),
        name: z.string(),
        added_at: z.string().meta({ format: 'date-time' }),
        synced: z.boolean().describe('The device may copy it to others of the user.'),
      }),
    )
    .readonly()
    .describe('With which the user signs in, oldest first.'),
  state: state(['enabled', 'disabled', 'erased'], { enabled: 'good', disabled: 'stop' }),
  disabled: shown(z.boolean(), { isRepeated: true }),
  erased: shown(z.boolean(), { isRepeated: true }),
});

export type UserItem = z.infer<typeof userShape>;

export const userRefusals = {
  'user-unknown': 'user not found',
  'user-erased': 'the account was erased, which cannot be undone',
  'organization-unknown': 'organization not found',
  'email-taken': 'another account has this e-mail address',
  'role-by-claim':
    'the user has the role by the claim of the identity provider: remove it there, or disable the user',
  'administrator-by-claim':
    'the user administers the organization by the claim of the identity provider: remove it there, or disable the user',
  'last-administrator':
    'the user is the last administrator of the organization who may sign in; to remove the role all the same, use force',
  'own-account': 'this is the account that you are acting with; to do it all the same, use force',
  'last-operator': 'the user is the last operator who may sign in; to do it all the same, use force',
  'identity-taken': 'the identity opens another account: unlink it there first',
  'provider-unknown': 'SIGN_IN_PROVIDERS_FILE has no provider with this id',
  'passkey-unknown': 'the account has no passkey with this id',
  'identity-unknown': 'no identity of this provider is linked to the account',
  'organization-missing': 'the role administrator needs an organization',
  'organization-needless': 'only the role administrator has an organization',
  'publisher-unknown': 'there is no such publisher; grantbook publisher list finds publishers',
  'publisher-missing': 'the role publisher needs a publisher',
  'publisher-needless': 'only the role publisher has a publisher',
  invalid: 'the account cannot be changed like this',
};

/** Who else can use what an operator gives to the account; empty where no identity is linked. */
export const linkedSentence = async (store: Services['store'], userId: string): Promise<string> => {
  const account = await accountNow(store, userId);
  const identities = account.status === 'absent' ? [] : account.identities;
  return identities.length === 0
    ? ''
    : ` Whoever has one of these linked identities signs in to the account, too: ${identities
        .map(({ provider, subject }) => `${provider} ${JSON.stringify(subject)}`)
        .join(', ')}.`;
};

/** From the log: the read models only say in which organizations to look. */
export const showUser = async (services: Services, userId: string): Promise<UserItem | null> => {
  if (!isUlid(userId)) return null;
  const { store, readModels } = services;
  const [account, administered, published] = await Promise.all([
    accountNow(store, userId),
    readModels.administratorOf(userId),
    readModels.publishersOf(userId),
  ]);
  if (account.status === 'absent') return null;
  const { name, email, status, identities, passkeys } = account;
  return {
    user_id: userId,
    name,
    email: email === '' ? null : email,
    email_verified: addressOf(account) !== null,
    roles: [
      ...(await administratorRoles(store, account, administered)),
      ...ownRoles(account),
      ...(await publisherRoles(store, account, published)),
    ],
    identities: identities.map(({ provider, issuer, subject }) => ({ provider, issuer, subject })),
    passkeys: passkeys.map((passkey) => ({
      passkey_id: passkey.passkeyId,
      name: passkey.name,
      added_at: new Date(passkey.addedAt).toISOString(),
      synced: passkey.synced,
    })),
    state: status,
    disabled: status !== 'enabled',
    erased: status === 'erased',
  };
};

const ownRoles = ({ rolesBySource }: KnownAccount): UserItem['roles'] =>
  sources.flatMap((source) =>
    rolesBySource[source].map((role) => ({ role, organization_id: null, publisher_id: null, source })),
  );

const administratorRoles = async (
  store: Services['store'],
  { userId, mapped }: KnownAccount,
  administered: readonly string[],
): Promise<UserItem['roles']> => {
  const ids = [...new Set([...administered, ...mapped])].sort();
  const roles = await Promise.all(
    ids.map(async (id) => {
      const state = await organizationNow(store, id);
      return sources
        .filter((source) => administersBy(state, source, userId))
        .map((source) => ({
          role: 'administrator' as const,
          organization_id: id,
          publisher_id: null,
          source,
        }));
    }),
  );
  return roles.flat();
};

const publisherRoles = async (
  store: Services['store'],
  { userId }: KnownAccount,
  ids: readonly string[],
): Promise<UserItem['roles']> => {
  const roles = await Promise.all(
    ids.map(async (id) => {
      const publisher = await publisherNow(store, id);
      return sources
        .filter((source) => isMemberBy(publisher, source, userId))
        .map((source) => ({ role: 'publisher' as const, organization_id: null, publisher_id: id, source }));
    }),
  );
  return roles.flat();
};
