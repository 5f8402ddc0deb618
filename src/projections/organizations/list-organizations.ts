import type { Pool } from 'pg';
import { isUlid } from '../../domain/kernel/ids.ts';
import { startsOf } from '../kernel/name-words.ts';
import { nameKey, readPage, type Condition, type SortedList } from '../kernel/sorted-list.ts';
import type { PipelinedReader } from '../database/pipelined-reader.ts';
import type { OrganizationRow, ReadModels } from '../read-models.ts';

export const readOrganizations =
  (reader: PipelinedReader): ReadModels['organizations'] =>
  async (search, asked) => {
    const { rows, ...page } = await readPage<OrganizationRow>(
      reader,
      organizationList,
      conditionOf(search),
      asked,
    );
    return { rows: rows.map(({ id: _id, ...row }) => row), ...page };
  };

const conditionOf = (search: string | null): Condition => {
  const name = 'organizations';
  if (search === null) return { name, where: '', values: [] };
  const starts = startsOf(search);
  return starts === null
    ? { name: `${name}-found-by-id`, where: byId, values: [search] }
    : { name: `${name}-found-by-words`, where: `(${byId} or ${byWords})`, values: [search, starts] };
};

const byId = '(organization_id = $3 or external_id = $3)';
const byWords = 'array_to_tsvector(words) @@ $4::tsquery';

export const organizationList: SortedList = {
  table: 'organizations',
  id: 'organization_id',
  keys: { name: nameKey('words') },
  columns: `, organization_id as "organizationId", name, external_id as "externalId", closed_at is not null as "isClosed",
         hidden as "isHidden",
         array(select user_id
               from (select user_id, since from administrators
                     where administrators.organization_id = organizations.organization_id
                     union all select user_id, since from administrators_by_claim
                     where administrators_by_claim.organization_id = organizations.organization_id) as appointed
               group by user_id order by min(since), user_id) as administrators,
         array(select user_id from auditors
               where auditors.organization_id = organizations.organization_id order by since, user_id) as auditors`,
};

/** Those names that are the id or the external id of an organization, in one statement, however many they are. */
export const readNamesOfOrganizations =
  (pool: Pool) =>
  async (names: readonly string[]): Promise<ReadonlySet<string>> => {
    const statement = { name: 'names-of-organizations', text: namesOf };
    const { rows } = await pool.query<{ name: string }>(statement, [names.filter(isUlid), names]);
    return new Set(rows.map(({ name }) => name));
  };

const namesOf = `
  select organization_id as name from organizations where organization_id = any($1::text[])
  union select external_id from organizations where external_id = any($2::text[])`;
