import type { ListName } from '../write/operations.ts';

export type Place = { readonly organization: string; readonly ordinal: string };
type Side = 'after' | 'before';

/**
 * The records of the user's lists on one side of a place, the nearest list first, up to `limit` of each list that may
 * contribute. Each list is read only after those before it, so a caller that stops at its limit reads no more.
 */
export const usersRecordsFrom = (list: ListName, side: Side, place: Place, limit: string): string => {
  const { order, beyond, wayOff, cut, has } = sides[side];
  const records = (columns: string, condition: string, most: string) => `
                select ${columns} from ${list}
                where user_id = $2 and organization_id = reached.organization_id and user_ordinal ${beyond}
                  case when reached.organization_id = ${place.organization} then ${place.ordinal} else ${wayOff} end
                  ${condition}
                order by user_ordinal${order} limit ${most}`;
  const columns = 'organization_id, user_ordinal as ordinal, user_entered as entered, created_at, item';
  return `
            from (${reached(side, place, limit)}) as reached
            ${has && `left join lateral (${records('user_entered as entered', has.asked, '1')}) as nearest on true`}
            cross join lateral (
              select * from (${records(columns, has && has.condition, limit)}) as read ${cut}) as record
            where not list.held`;
};

const sides = {
  after: {
    order: '',
    beyond: '>',
    wayOff: '-1',
    cut: 'where entered <= $8::bigint',
    sure: 'changed <= $8',
    /** If the nearest record entered after the bound, so did all later ones: one is read, and no more. */
    has: {
      asked: 'and reached.changed > $8::bigint',
      condition: 'and coalesce(nearest.entered, 0) <= $8::bigint',
    },
  },
  before: {
    order: ' desc',
    beyond: '<',
    wayOff: '9223372036854775807',
    cut: '',
    sure: 'true',
    has: '' as const,
  },
};

/** Up to the list before which there are certainly enough records: not the place's own, nor one changed after the bound. */
const reached = (side: Side, { organization }: Place, limit: string): string => {
  const { order, beyond, sure } = sides[side];
  return `
              select organization_id, changed
              from (select organization_id, total, changed,
                           sum(case when organization_id <> ${organization} and ${sure} then total else 0 end)
                             over (order by organization_id${order} rows between unbounded preceding and 1 preceding) as sure
                    from visible where organization_id ${beyond}= ${organization}) as running
              where total > 0 and coalesce(sure, 0) < ${limit}
              order by organization_id${order}`;
};
