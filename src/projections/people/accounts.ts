import { accountPerson } from '../../domain/personal-data.ts';
import type { Role, VouchedBy } from '../../domain/people/account.ts';
import type { RoleSource } from '../../domain/people/role-source.ts';
import { storedWordsOf } from '../../domain/kernel/name.ts';
import { addressPartsOf } from '../../domain/people/email.ts';
import { erased, isUnreadable } from '../../domain/kernel/unreadable-fields.ts';
import { idOf } from '../../domain/kernel/stream-name.ts';
import { destroyKeysAgain } from '../working-state/destroyed-keys.ts';
import { columnsOf, defineProjection, type Tx } from '../follow/projection.ts';
import type { PipelinedReader } from '../database/pipelined-reader.ts';
import type { ReadModels } from '../read-models.ts';

type Row = {
  readonly userId: string;
  readonly email: string;
  readonly emailVerified: boolean;
  readonly name: string;
  readonly roles: string;
  readonly words: string;
  readonly addressWords: string;
  readonly createdAt: number;
};
type RoleChange = {
  readonly userId: string;
  readonly source: RoleSource;
  readonly role: Role;
  readonly has: boolean;
};
type Changes = {
  readonly created: Row[];
  readonly disabled: Map<string, boolean>;
  /** When it was last disabled, or erased; who is enabled again is there, too. */
  readonly disabledAt: Map<string, number>;
  readonly names: Map<string, string>;
  readonly emails: Map<string, ReturnType<typeof addressOf>>;
  readonly updated: Map<string, number>;
  /** By user, source and role: whether the user has it. */
  readonly roles: Map<string, RoleChange>;
  readonly erased: string[];
};

/** For `jsonb` parameters: an array of arrays cannot be one. */
const wordsOf = (name: string): string => JSON.stringify(storedWordsOf(name));

/** An address that nobody vouches for finds no account (FX-01). */
const addressOf = (email: string, by: VouchedBy) => ({
  email,
  emailVerified: by !== 'nobody',
  addressWords: JSON.stringify(by === 'nobody' || isUnreadable(email) ? [] : addressPartsOf(email)),
});

const changeRole = (roles: Changes['roles'], change: RoleChange) =>
  roles.set(`${change.userId} ${change.source} ${change.role}`, change);

export const accounts = defineProjection<Changes>({
  name: 'accounts',
  empty: () => ({
    created: [],
    disabled: new Map(),
    disabledAt: new Map(),
    names: new Map(),
    emails: new Map(),
    updated: new Map(),
    roles: new Map(),
    erased: [],
  }),
  on: {
    AccountCreated: ({ created }, { userId, email, emailVouchedBy, name, roles, at }) => {
      created.push({
        userId,
        ...addressOf(email, emailVouchedBy),
        name,
        roles: JSON.stringify(roles),
        words: wordsOf(name),
        createdAt: at,
      });
    },
    RoleGranted: ({ roles }, { role, source }, event) => {
      changeRole(roles, { userId: idOf(event.stream), source, role, has: true });
    },
    RoleRemoved: ({ roles }, { role, source }, event) => {
      changeRole(roles, { userId: idOf(event.stream), source, role, has: false });
    },
    AccountRenamed: ({ names, updated }, { name, at }, event) => {
      names.set(idOf(event.stream), name);
      updated.set(idOf(event.stream), at);
    },
    AccountEmailChanged: ({ emails, updated }, { email, emailVouchedBy, at }, event) => {
      emails.set(idOf(event.stream), addressOf(email, emailVouchedBy));
      updated.set(idOf(event.stream), at);
    },
    AccountDisabled: ({ disabled, disabledAt }, { at }, event) => {
      disabled.set(idOf(event.stream), true);
      disabledAt.set(idOf(event.stream), at);
    },
    AccountEnabled: ({ disabled }, _data, event) => {
      disabled.set(idOf(event.stream), false);
    },
    AccountErased: ({ disabledAt, erased: gone }, { at }, event) => {
      disabledAt.set(idOf(event.stream), at);
      gone.push(idOf(event.stream));
    },
  },
  async write(tx, { created, disabled, disabledAt, names, emails, updated, roles, erased: gone }) {
    if (created.length > 0)
      await tx.query(insertAccounts, [
        ...columnsOf(created, [
          'userId',
          'email',
          'name',
          'roles',
          'words',
          'addressWords',
          'createdAt',
          'emailVerified',
        ]),
      ]);
    if (disabled.size > 0) await tx.query(updateDisabled, [[...disabled.keys()], [...disabled.values()]]);
    if (disabledAt.size > 0)
      await tx.query(updateDisabledAt, [[...disabledAt.keys()], [...disabledAt.values()]]);
    if (names.size > 0) {
      const all = [...names.values()];
      await tx.query(updateName, [[...names.keys()], all, all.map(wordsOf)]);
    }
    if (emails.size > 0)
      await tx.query(updateEmail, [
        [...emails.keys()],
        ...columnsOf([...emails.values()], ['email', 'emailVerified', 'addressWords']),
      ]);
    if (updated.size > 0) await tx.query(updateUpdated, [[...updated.keys()], [...updated.values()]]);
    await writeRoles(tx, [...roles.values()]);
    if (gone.length > 0) await eraseAccounts(tx, gone);
    await destroyKeysAgain(tx, gone.map(accountPerson));
  },
});

/** Gives the rows of erased users the content that they would have if their events had been read without a key. */
export const eraseAccounts = async (tx: Tx, userIds: readonly string[]): Promise<void> =>
  void (await tx.query(eraseNames, [userIds, erased]));

const wordsIn = (json: string) => `array(select jsonb_array_elements_text(${json}))`;

const insertAccounts = `
  insert into accounts (user_id, email, name, roles, name_words, address_words, created_at, updated_at, email_verified)
  select user_id, email, name, roles, ${wordsIn('words')}, ${wordsIn('address_words')}, created_at, created_at, email_verified
  from unnest($1::text[], $2::text[], $3::text[], $4::jsonb[], $5::jsonb[], $6::jsonb[], $7::bigint[], $8::bool[])
    as created (user_id, email, name, roles, words, address_words, created_at, email_verified)
  on conflict do nothing`;

const updateDisabled = `
  update accounts set disabled = change.disabled
  from unnest($1::text[], $2::bool[]) as change (user_id, disabled)
  where accounts.user_id = change.user_id`;

const updateDisabledAt = `
  update accounts set disabled_at = change.at
  from unnest($1::text[], $2::bigint[]) as change (user_id, at)
  where accounts.user_id = change.user_id`;

const updateName = `
  update accounts set name = change.name, name_words = ${wordsIn('change.words')}
  from unnest($1::text[], $2::text[], $3::jsonb[]) as change (user_id, name, words)
  where accounts.user_id = change.user_id`;

const updateEmail = `
  update accounts set email = change.email, email_verified = change.email_verified, address_words = ${wordsIn('change.words')}
  from unnest($1::text[], $2::text[], $3::bool[], $4::jsonb[]) as change (user_id, email, email_verified, words)
  where accounts.user_id = change.user_id`;

const updateUpdated = `
  update accounts set updated_at = change.at
  from unnest($1::text[], $2::bigint[]) as change (user_id, at)
  where accounts.user_id = change.user_id`;

const writeRoles = async (tx: Tx, changes: readonly RoleChange[]): Promise<void> => {
  for (const [source, column] of roleColumns) {
    const some = changes.filter((change) => change.source === source);
    if (some.length > 0) await tx.query(updateRoles(column), [...columnsOf(some, ['userId', 'role', 'has'])]);
  }
};

const roleColumns = [
  ['manual', 'roles'],
  ['claim', 'roles_by_claim'],
] as const;

const updateRoles = (column: string) => `
  update accounts set ${column} = (
    select coalesce(jsonb_agg(role order by role), '[]')
    from (
      select jsonb_array_elements_text(${column}) as role
      union select role from unnest($1::text[], $2::text[], $3::bool[]) as given (user_id, role, has)
      where given.user_id = accounts.user_id and has
      except select role from unnest($1::text[], $2::text[], $3::bool[]) as taken (user_id, role, has)
      where taken.user_id = accounts.user_id and not has
    ) as kept)
  where user_id = any ($1::text[])`;

const eraseNames = `
  update accounts set email = $2, name = $2, name_words = array[$2], address_words = '{}' where user_id = any ($1::text[])`;

export const readNamesOf =
  (reader: PipelinedReader): ReadModels['namesOf'] =>
  async (userIds) => {
    type Named = { readonly userId: string; readonly name: string };
    const found = await reader.query<Named>({ name: 'names-of', text: namesOf }, [userIds]);
    return new Map(found.map(({ userId, name }) => [userId, name]));
  };

const namesOf = `select user_id as "userId", name from accounts where user_id = any ($1::text[])`;
