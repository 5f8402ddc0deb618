import { startsOf } from '../kernel/name-words.ts';
import { loadIdsByOwner } from '../kernel/ids-by-owner.ts';
import { nameKey, readPage, type Condition, type SortedList } from '../kernel/sorted-list.ts';
import { isActive } from '../fence/fence-statement.ts';
import type { PipelinedReader } from '../database/pipelined-reader.ts';
import type { PublisherReaders } from '../read-models.ts';

/** Publishers as far as the read models know: the log says who may do what. */
export const publisherReaders = (reader: PipelinedReader): PublisherReaders => {
  const ids = async (name: string, text: string, values: readonly unknown[]): Promise<readonly string[]> =>
    (await reader.query<{ readonly id: string }>({ name, text }, [...values])).map(({ id }) => id);
  return {
    publisherIds: (search, page) => readPage(reader, publisherList, conditionOf(search), page),
    publishersOf: loadIdsByOwner(reader, { name: 'publishers-of', text: publishersOf }),
    addonsOfPublisher: loadIdsByOwner(reader, { name: 'addons-of-publisher', text: addonsOfPublisher }),
    addonsOfPublishers: (publisherIds, { after, limit }) =>
      ids('addons-of-publishers', addonsOfPublishers, [publisherIds, after ?? '', limit]),
    activeOrganizations: async (addonId, { after, limit }) => {
      type Row = { readonly organizationId: string; readonly name: string; readonly activatedAt: string };
      const rows = await reader.query<Row>({ name: 'active-organizations', text: activeOrganizations }, [
        addonId,
        after ?? '',
        limit,
      ]);
      return rows.map((row) => ({ ...row, activatedAt: new Date(Number(row.activatedAt)).toISOString() }));
    },
    countActiveOrganizations: async (addonId) => {
      type Row = { readonly shown: number; readonly hidden: number };
      const query = { name: 'count-active-organizations', text: countActive };
      return (await reader.query<Row>(query, [addonId]))[0] ?? { shown: 0, hidden: 0 };
    },
  };
};

export const publisherList: SortedList = {
  table: 'publishers',
  id: 'publisher_id',
  keys: { name: nameKey('words') },
};

const conditionOf = (search: string | null): Condition => {
  const name = 'publishers';
  if (search === null) return { name, where: '', values: [] };
  const starts = startsOf(search);
  return starts === null
    ? { name: `${name}-found-by-id`, where: 'publisher_id = $3', values: [search] }
    : {
        name: `${name}-found-by-words`,
        where: `(publisher_id = $3 or ${byWords})`,
        values: [search, starts],
      };
};

const byWords = 'array_to_tsvector(words) @@ $4::tsquery';

const publishersOf = `
  select distinct user_id as owner, publisher_id as id from publisher_members
  where user_id = any($1::text[]) order by 2`;

const addonsOfPublisher = `
  select owner, addon_id as id
  from unnest($1::text[]) as asked (owner),
       lateral (select addon_id from publisher_addons where publisher_id = owner order by addon_id limit 1000) as theirs`;

const addonsOfPublishers = `
  select addon_id as id from publisher_addons
  where publisher_id = any($1::text[]) and addon_id > $2 order by addon_id limit $3`;

/** Active is what the fence says. */
const active = `
  from activations
       join fence on fence.subject = 'activation:' || activations.organization_id || '.' || activations.addon_id
       join organizations on organizations.organization_id = activations.organization_id
  where activations.addon_id = $1 and ${isActive('activations.organization_id')}`;

const activeOrganizations = `
  select activations.organization_id as "organizationId", name, activated_at as "activatedAt" ${active}
    and not hidden and activations.organization_id > $2
  order by activations.organization_id limit $3`;

const countActive = `
  select count(*) filter (where not organizations.hidden)::int as shown,
         count(*) filter (where organizations.hidden)::int as hidden
  ${active}`;
