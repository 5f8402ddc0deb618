import type { ListName } from '../write/operations.ts';
import { blocksOf, startOfLeaf } from './blocks.ts';
import { type ListWay, asArrays, versionOf } from './parts.ts';
import { correctionsOf } from './stale.ts';

/** One row, even when there never was a record. */
export const organizationsList = (list: ListName): string => `
  with list as materialized (
    select *, version = any($4::text[]) as held
    from (select coalesce(total, 0) as total, coalesce(next_ordinal, 0) as next_ordinal, coalesce(changed, 0) as changed,
                 ${versionOf(list, 'organization', `' ' || coalesce(changed, 0) || ${correctionsOf(list, '= $2')}`)} as version
          from (select) as one
          left join lists on list = '${list}' and organization_id = $2 and user_id = '') as known)`;

/** The part below `not list.held` is never executed for a caller that has this version. */
export const organizationsItems = (list: ListName, way: ListWay): string => {
  switch (way) {
    case 'start':
      return byPage(
        '',
        `select item, created_at, ordinal from ${list} where organization_id = $2 and ${within}
                order by ordinal offset $5 limit $3`,
      );
    case 'page':
      return byPage(
        blocksOf({
          list,
          organization: '$2',
          user: "''",
          nextOrdinal: 'list.next_ordinal',
          skip: '$5::bigint',
          when: within,
        }),
        `select item, created_at, ordinal from ${list}
                where organization_id = $2 and ordinal >= ${startOfLeaf} and ${within}
                order by ordinal offset $5 - coalesce(leaf.ahead, 0) limit $3`,
      );
    case 'after':
    case 'before':
      return byPosition(list, way);
  }
};

const within = 'not list.held and list.total > $5::bigint';

const byPage = (blocks: string, records: string): string => `${blocks}
      left join lateral (select ${asArrays} from (${records}) as record) as page on true`;

/** Keyset: one record more than a page, and whether an `other` is on the other side. Rows after the bound are cut afterwards: a filter would read on. */
const byPosition = (list: ListName, way: 'after' | 'before'): string => {
  const records = (side: 'after' | 'before', ordinal: string, limit: string) => {
    const { beyond, order, cut } = sides[side];
    return `
        select * from (select item, created_at, ordinal, entered from ${list}
                       where organization_id = $2 and ordinal ${beyond} ${ordinal} and not list.held
                       order by ordinal${order} limit ${limit}) as read ${cut}`;
  };
  const other = way === 'after' ? 'before' : 'after';
  return `
      left join lateral (
        select items, created, ordinals, exists (${records(other, 'nearest', '1')}) as other
        from (select ${asArrays}, ${way === 'after' ? 'min' : 'max'}(ordinal) as nearest
              from (${records(way, '$5::bigint', '$3::bigint + 1')}) as record) as listed) as page on true`;
};

const sides = {
  after: { beyond: '>', order: '', cut: 'where entered <= $6::bigint' },
  before: { beyond: '<', order: ' desc', cut: '' },
};
