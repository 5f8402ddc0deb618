import type { ListName } from '../write/operations.ts';
import { activationOf } from './changes.ts';
import { blocksOf, startOfLeaf } from './blocks.ts';
import { type ListWay, asArrays, versionOf } from './parts.ts';
import { correctionsOf } from './stale.ts';
import { usersRecordsFrom, type Place } from './users-records.ts';

/** A user's lists by organization; `ahead`: records before. Deactivating also removes them here (P1, DE-01), unless never active (AC-02). */
export const usersList = (list: ListName): string => `
  with owned as materialized (
    select organization_id, total, next_ordinal, changed, ${activationOf('$5')}
    from lists where list = '${list}' and user_id = $2 and user_id <> ''),
  visible as materialized (
    select organization_id, total, next_ordinal, changed,
           (sum(total) over (order by organization_id rows unbounded preceding))::bigint - total as ahead
    from owned where open and not on_hold
    order by organization_id),
  list as materialized (
    select *, version = any($4::text[]) as held
    from (select coalesce(sum(total), 0)::bigint as total, coalesce(max(changed), 0) as changed,
                 ${versionOf(
                   list,
                   'user',
                   `coalesce(string_agg(' ' || organization_id || ' ' || changed, '' order by organization_id), '')
                    || ${correctionsOf(list, 'in (select organization_id from visible)')}`,
                 )} as version
          from visible) as known)`;

/** The part below `not list.held` is never executed for a caller that has this version. */
export const usersItems = (list: ListName, way: ListWay): string =>
  `left join lateral (${way === 'start' || way === 'page' ? byPage(list) : byPosition(list, way)}) as page on true`;

const arrays = `${asArrays}, json_agg(organization_id) as organizations`;

/** The part of each list that belongs to the page: the totals say which lists those are and how much of each is needed. */
const byPage = (list: ListName): string => `
      select ${arrays}
      from (
        select record.*
        from visible
        cross join lateral (
          select greatest($6::bigint - ahead, 0) as skip,
                 least(ahead + total, $6 + $3::bigint) - greatest(ahead, $6) as wanted) as part
        ${blocksOf({
          list,
          organization: 'visible.organization_id',
          user: '$2',
          nextOrdinal: 'visible.next_ordinal',
          skip: 'part.skip',
          when: 'part.skip > 0',
        })}
        cross join lateral (
          select organization_id, user_ordinal as ordinal, created_at, item from ${list}
          where user_id = $2 and organization_id = visible.organization_id
            and user_ordinal >= ${startOfLeaf}
          order by user_ordinal offset part.skip - coalesce(leaf.ahead, 0) limit part.wanted) as record
        where not list.held and visible.ahead < $6 + $3 and visible.ahead + visible.total > $6
        order by organization_id, ordinal) as record`;

/** As in organizations-list.ts, continuing from one organization's list into the next. */
const byPosition = (list: ListName, way: 'after' | 'before'): string => {
  const other = way === 'after' ? 'before' : 'after';
  const place: Place = { organization: '$6::text', ordinal: '$7::bigint' };
  const nearest: Place = { organization: 'nearest_organization', ordinal: 'nearest_ordinal' };
  const order = way === 'after' ? 'organization_id, ordinal' : 'organization_id desc, ordinal desc';
  return `
      select items, created, ordinals, organizations,
             exists (select ${usersRecordsFrom(list, other, nearest, '1')}) as other
      from (select ${arrays}, (array_agg(organization_id))[1] as nearest_organization, (array_agg(ordinal))[1] as nearest_ordinal
            from (select * from (select record.* ${usersRecordsFrom(list, way, place, '$3::bigint + 1')} limit $3 + 1) as enough
                  order by ${order}) as record) as listed`;
};
