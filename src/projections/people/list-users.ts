import { isUlid } from '../../domain/kernel/ids.ts';
import { startsOfPeople, wordsOfPeople } from '../kernel/name-words.ts';
import { loadIdsByOwner } from '../kernel/ids-by-owner.ts';
import { nameKey, readPage, type Condition, type SortedList } from '../kernel/sorted-list.ts';
import type { PipelinedReader } from '../database/pipelined-reader.ts';
import type { ReadModels, UserFilter } from '../read-models.ts';

/** Accounts in the order of their ids, by name or by address, one page at a time, as far as the read models know. */
export const readUsers =
  (reader: PipelinedReader): ReadModels['users'] =>
  (filter, page) =>
    readPage(reader, userList, conditionOf(filter), page);

export const userList: SortedList = {
  table: 'accounts',
  id: 'user_id',
  keys: { name: nameKey('name_words'), email: 'email collate "C"' },
  matchesFirst: true,
};

/** Accounts that may have the role `operator`, the oldest ones first; more than 100 are never needed. */
export const readOperators = (reader: PipelinedReader) => async (): Promise<readonly string[]> => {
  const { rows } = await readUsers(reader)({ role: 'operator' }, { after: null, limit: 100 });
  return rows.map(({ id }) => id);
};

/** The users of a page share one statement. */
export const readAdministratorOf = (reader: PipelinedReader): ReadModels['administratorOf'] =>
  loadIdsByOwner(reader, {
    name: 'administrator-of',
    text: `
  select user_id as owner, organization_id as id from administrators where user_id = any($1::text[])
  union select user_id, organization_id from administrators_by_claim where user_id = any($1::text[])
  order by 2`,
  });

export const conditionOf = ({ search, organizationId, role }: UserFilter): Condition => {
  const values: unknown[] = [];
  const value = (given: unknown): string => `$${values.push(given) + 2}`;
  const parts: string[] = [];
  const starts = search === undefined ? null : startsOfPeople(search);
  if (search !== undefined && isUlid(search)) parts.push(`user_id = ${value(search)}`);
  else if (search !== undefined)
    parts.push(starts === null ? 'false' : `${wordsOfPeople} @@ ${value(starts)}::tsquery`);
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
  const found = search === undefined ? '' : isUlid(search) ? 'by-id' : starts === null ? 'none' : 'by-words';
  const kind = [found, organizationId !== undefined, role].join('-');
  return { name: `users-${kind}`, where: parts.join(' and '), values };
};
