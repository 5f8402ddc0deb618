import { normaliseEmail } from '../../domain/people/email.ts';
import { startsOf } from '../kernel/name-words.ts';
import type { PipelinedReader } from '../database/pipelined-reader.ts';
import type { ReadModels, UserFilter } from '../read-models.ts';

type Found = { readonly userId: string };

/** Accounts in the order of their ids, one page at a time, as far as the read models know. */
export const readUsers =
  (reader: PipelinedReader): ReadModels['users'] =>
  async (filter, { after, limit }) => {
    const { name, where, values } = conditionOf(filter);
    const query = { name: `users-${name}`, text: selectUsers(where) };
    const rows = await reader.query<Found>(query, [after ?? '', limit, ...values]);
    return rows.map(({ userId }) => userId);
  };

/** Accounts that may have the role `operator`, the oldest ones first; more than 100 are never needed. */
export const readOperators = (reader: PipelinedReader) => () =>
  readUsers(reader)({ role: 'operator' }, { after: null, limit: 100 });

export const readAdministratorOf =
  (reader: PipelinedReader): ReadModels['administratorOf'] =>
  async (userId) => {
    type Administered = { readonly organizationId: string };
    const query = { name: 'administrator-of', text: administratorOf };
    const rows = await reader.query<Administered>(query, [userId]);
    return rows.map(({ organizationId }) => organizationId);
  };

const administratorOf = `
  select organization_id as "organizationId" from administrators where user_id = $1
  union select organization_id from administrators_by_claim where user_id = $1
  order by 1`;

/** One statement for each combination, so that each is planned with the matching index. */
export const conditionOf = ({ search, organizationId, role }: UserFilter) => {
  const values: unknown[] = [];
  const value = (given: unknown): string => `$${values.push(given) + 2}`;
  const parts: string[] = [];
  if (search !== undefined) parts.push(searched(search, value));
  if (organizationId !== undefined || role === 'administrator') {
    const tables =
      role === undefined || role === 'operator' || role === 'publisher'
        ? ['administrators', 'administrators_by_claim', 'auditors']
        : role === 'auditor'
          ? ['auditors']
          : ['administrators', 'administrators_by_claim'];
    const of = organizationId === undefined ? '' : ` where organization_id = ${value(organizationId)}`;
    parts.push(
      `user_id in (${tables.map((table) => `select user_id from ${table}${of}`).join(' union all ')})`,
    );
  }
  if (role === 'auditor' || role === 'operator') {
    const given = value(role);
    parts.push(
      `(roles <> '[]'::jsonb or roles_by_claim <> '[]'::jsonb) and (roles ? ${given} or roles_by_claim ? ${given})`,
    );
  }
  if (role === 'publisher') parts.push('user_id in (select user_id from publisher_members)');
  const words = search === undefined ? null : startsOf(search) !== null;
  const kind = [isAddress(search), words, organizationId !== undefined, role].join('-');
  return { name: kind, where: ['true', ...parts].join(' and '), values };
};

const isAddress = (search: string | undefined): boolean => search?.includes('@') === true;

/** The operator `@@` uses the index of the words, and nothing in the words has a meaning in a `tsquery`. */
const searched = (search: string, value: (given: unknown) => string): string => {
  const starts = startsOf(search);
  const byName = starts === null ? 'false' : `array_to_tsvector(name_words) @@ ${value(starts)}::tsquery`;
  return isAddress(search) ? `(email = ${value(normaliseEmail(search))} or ${byName})` : byName;
};

/** Those who match are found first: the order of ids would be cheaper only where nearly everybody matches. */
export const selectUsers = (where: string) =>
  where === 'true'
    ? `select user_id as "userId" from accounts where user_id > $1 order by user_id limit $2`
    : `with matching as materialized (select user_id from accounts where ${where})
       select user_id as "userId" from matching where user_id > $1 order by user_id limit $2`;
