import { startsOf } from '../kernel/name-words.ts';
import type { PipelinedReader } from '../database/pipelined-reader.ts';
import type { PublisherReaders } from '../read-models.ts';

/** Publishers as far as the read models know: the log says who may do what. */
export const publisherReaders = (reader: PipelinedReader): PublisherReaders => {
  const ids = async (name: string, text: string, values: readonly unknown[]): Promise<readonly string[]> =>
    (await reader.query<{ readonly id: string }>({ name, text }, [...values])).map(({ id }) => id);
  return {
    publisherIds: (search, { after, limit }) => {
      const page = [after ?? '', limit];
      if (search === null) return ids('publishers', selectPublishers(''), page);
      const starts = startsOf(search);
      return starts === null
        ? ids('publishers-found-by-id', selectPublishers('publisher_id = $3'), [...page, search])
        : ids('publishers-found-by-words', selectPublishers(`(publisher_id = $3 or ${byWords})`), [
            ...page,
            search,
            starts,
          ]);
    },
    publishersOf: (userId) => ids('publishers-of', publishersOf, [userId]),
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

const byWords = 'array_to_tsvector(words) @@ $4::tsquery';

const selectPublishers = (condition: string) => `
  select publisher_id as id from publishers
  where publisher_id > $1${condition === '' ? '' : ` and ${condition}`}
  order by publisher_id limit $2`;

const publishersOf = `
  select distinct publisher_id as id from publisher_members where user_id = $1 order by 1`;

const addonsOfPublishers = `
  select addon_id as id from publisher_addons
  where publisher_id = any($1::text[]) and addon_id > $2 order by addon_id limit $3`;

/** Active is what the fence says. */
const active = `
  from activations
       join fence on fence.subject = 'activation:' || activations.organization_id || '.' || activations.addon_id
       join organizations on organizations.organization_id = activations.organization_id
  where activations.addon_id = $1 and fence.open`;

const activeOrganizations = `
  select activations.organization_id as "organizationId", name, activated_at as "activatedAt" ${active}
    and not hidden and activations.organization_id > $2
  order by activations.organization_id limit $3`;

const countActive = `
  select count(*) filter (where not organizations.hidden)::int as shown,
         count(*) filter (where organizations.hidden)::int as hidden
  ${active}`;
