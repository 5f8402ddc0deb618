import { accountPerson } from '../domain/personal-data.ts';
import { erased } from '../domain/unreadable-fields.ts';
import { idOf } from '../domain/stream-name.ts';
import { destroyKeysAgain } from './destroyed-keys.ts';
import { columnsOf, defineProjection, type Tx } from './projection.ts';
import type { PipelinedReader } from './pipelined-reader.ts';
import type { ReadModels } from './read-models.ts';

type Row = {
  readonly userId: string;
  readonly email: string;
  readonly name: string;
  readonly roles: string;
  readonly createdAt: number;
};
type Changes = {
  readonly created: Row[];
  readonly disabled: Map<string, boolean>;
  readonly names: Map<string, string>;
  readonly emails: Map<string, string>;
  readonly erased: string[];
};

/** All accounts. Password hashes stay in the log. */
export const accounts = defineProjection<Changes>({
  name: 'accounts',
  empty: () => ({ created: [], disabled: new Map(), names: new Map(), emails: new Map(), erased: [] }),
  on: {
    AccountCreated: ({ created }, { userId, email, name, roles, at }) => {
      created.push({ userId, email, name, roles: JSON.stringify(roles), createdAt: at });
    },
    AccountRenamed: ({ names }, { name }, event) => {
      names.set(idOf(event.stream), name);
    },
    AccountEmailChanged: ({ emails }, { email }, event) => {
      emails.set(idOf(event.stream), email);
    },
    AccountDisabled: ({ disabled }, _data, event) => {
      disabled.set(idOf(event.stream), true);
    },
    AccountEnabled: ({ disabled }, _data, event) => {
      disabled.set(idOf(event.stream), false);
    },
    AccountErased: ({ erased: gone }, _data, event) => {
      gone.push(idOf(event.stream));
    },
  },
  async write(tx, { created, disabled, names, emails, erased: gone }) {
    if (created.length > 0)
      await tx.query(insertAccounts, [
        ...columnsOf(created, ['userId', 'email', 'name', 'roles', 'createdAt']),
      ]);
    if (disabled.size > 0) await tx.query(updateDisabled, [[...disabled.keys()], [...disabled.values()]]);
    if (names.size > 0) await tx.query(updateName, [[...names.keys()], [...names.values()]]);
    if (emails.size > 0) await tx.query(updateEmail, [[...emails.keys()], [...emails.values()]]);
    if (gone.length > 0) await eraseAccounts(tx, gone);
    await destroyKeysAgain(tx, gone.map(accountPerson));
  },
});

/** Gives the rows of erased users the content that they would have if their events had been read without a key. */
export const eraseAccounts = async (tx: Tx, userIds: readonly string[]): Promise<void> =>
  void (await tx.query(eraseNames, [userIds, erased]));

const insertAccounts = `
  insert into accounts (user_id, email, name, roles, created_at)
  select * from unnest($1::text[], $2::text[], $3::text[], $4::jsonb[], $5::bigint[])`;

const updateDisabled = `
  update accounts set disabled = change.disabled
  from unnest($1::text[], $2::bool[]) as change (user_id, disabled)
  where accounts.user_id = change.user_id`;

const update = (column: 'name' | 'email') => `
  update accounts set ${column} = change.${column}
  from unnest($1::text[], $2::text[]) as change (user_id, ${column})
  where accounts.user_id = change.user_id`;
const updateName = update('name');
const updateEmail = update('email');

const eraseNames = `update accounts set email = $2, name = $2 where user_id = any ($1::text[])`;

export const readNamesOf =
  (reader: PipelinedReader): ReadModels['namesOf'] =>
  async (userIds) => {
    type Named = { readonly userId: string; readonly name: string };
    const found = await reader.query<Named>({ name: 'names-of', text: namesOf }, [userIds]);
    return new Map(found.map(({ userId, name }) => [userId, name]));
  };

const namesOf = `select user_id as "userId", name from accounts where user_id = any ($1::text[])`;
