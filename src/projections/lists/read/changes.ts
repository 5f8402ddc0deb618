import { statement } from '../../../common/transaction.ts';
import type { Named } from '../../database/pipelined-reader.ts';
import { fenceRows, isActive } from '../../fence/fence-statement.ts';
import type { ListName } from '../write/operations.ts';
import type { ListKind } from './parts.ts';
import { correctionsOf, staleOf } from './stale.ts';

/** A place among the changes, in the order of (position, organization, ordinal): numbers of parameters. */
type Place = { readonly position: string; readonly organization: string; readonly ordinal: string };
type Bound = Place & { readonly is: '>' | '>=' | '<' | '<=' };

const place = (first: number): Place => ({
  position: `$${first}::bigint`,
  organization: `$${first + 1}::text`,
  ordinal: `$${first + 2}::bigint`,
});

const [none, all] = ['-1', '9223372036854775807'];

/** Of the rows of one organization at the position of the bound, the ordinals up to which they are before it. */
const ordinalAt = ({ organization, ordinal }: Bound): string =>
  `case when visible.organization_id = ${organization} then ${ordinal} when visible.organization_id > ${organization} then ${none} else ${all} end`;

const within = (bounds: readonly Bound[], position: string, ordinal: string): string =>
  bounds
    .map((bound) => `(${position}, ${ordinal}) ${bound.is} (${bound.position}, ${ordinalAt(bound)})`)
    .join(' and ');

/** The same for rows which are all at the position at which the organization came or went: the index has only their ordinals. */
const withinSince = (bounds: readonly Bound[], ordinal: string): string =>
  bounds
    .map((bound) => {
      const [ahead, behind] = bound.is.startsWith('>') ? [none, all] : [all, none];
      const isAhead = bound.is.startsWith('>') ? '>' : '<';
      return `${ordinal} ${bound.is} case when visible.since ${isAhead} ${bound.position} then ${ahead}
                when visible.since = ${bound.position} then ${ordinalAt(bound)} else ${behind} end`;
    })
    .join(' and ');

type Part = {
  readonly position: string;
  readonly ordinal: string;
  readonly removedAt: string;
  readonly from: string;
};

/** Where the changes of one organization's records come from: of its own list, or of what a user has of it. */
const partsOf = (list: ListName, kind: ListKind, bounds: readonly Bound[]): readonly Part[] => {
  const removals = `list_removals as gone
          where list = '${list}' and organization_id = visible.organization_id and user_id = ${kind === 'user' ? '$2' : "''"}`;
  const removed: Part = {
    position: 'removed',
    ordinal: 'ordinal',
    removedAt: 'removed_at',
    from: `${removals} and not again and ${within(bounds, 'removed', 'ordinal')}`,
  };
  if (kind === 'organization') {
    const own = within(bounds, 'changed', 'ordinal');
    const from = `${list} where organization_id = visible.organization_id and ${own}`;
    return [{ position: 'changed', ordinal: 'ordinal', removedAt: 'null::bigint', from }, removed];
  }
  const own = 'greatest(changed, user_entered)';
  const records = `${list} where user_id = $2 and organization_id = visible.organization_id`;
  const ofUser = { ordinal: 'user_ordinal', removedAt: 'null::bigint' };
  const came = withinSince(bounds, 'user_ordinal');
  return [
    {
      ...ofUser,
      position: own,
      from: `${records} and visible.active and ${own} > visible.since and ${within(bounds, own, 'user_ordinal')}`,
    },
    // The organization has activated the add-on again: all that it has changed then, or later.
    {
      ...ofUser,
      position: 'visible.since',
      from: `${records} and visible.active and visible.since > 0 and ${own} <= visible.since and ${came}`,
    },
    { ...removed, from: `${removed.from} and visible.active` },
    // It has deactivated the add-on: what it had went then, or earlier. What came later is not shown, not even that it was there.
    {
      ...ofUser,
      removedAt: 'visible.at',
      position: 'visible.since',
      from: `${records} and not visible.active and user_entered <= visible.since and ${came}`,
    },
    {
      position: 'least(removed, visible.since)',
      ordinal: 'ordinal',
      removedAt: 'case when removed > visible.since then visible.at else removed_at end',
      from: `${removals} and not visible.active and entered <= visible.since
            and ${within(bounds, 'least(removed, visible.since)', 'ordinal')}
            and not exists (select from list_removals as later
                            where later.list = '${list}' and later.organization_id = visible.organization_id and later.user_id = $2
                              and later.id = gone.id and later.ordinal > gone.ordinal and later.entered <= visible.since)
            and not exists (select from ${list} as there
                            where there.organization_id = visible.organization_id and there.id = gone.id and there.user_id = $2
                              and there.user_entered <= visible.since)`,
    },
  ];
};

const shown = 'where here.settled and not visible.on_hold';

/** The changes within the bounds, up to `limit` of each part. */
const changesIn = (
  list: ListName,
  kind: ListKind,
  bounds: readonly Bound[],
  { order, limit }: { readonly order: '' | ' desc'; readonly limit: string },
): string => {
  const parts = partsOf(list, kind, bounds).map(
    ({ position, ordinal, removedAt, from }) => `
        (select ${position} as position, ${ordinal} as ordinal, id, ${removedAt} as removed_at,
                ${removedAt === 'null::bigint' ? 'item, created_at' : 'null::json as item, null::text as created_at'}
         from ${from}
         order by ${position === 'visible.since' ? '' : `1${order}, `}2${order} limit ${limit})`,
  );
  return `
      select visible.organization_id, change.*
      from visible cross join lateral (${parts.join(' union all ')}) as change ${shown}
      order by position${order}, organization_id${order}, ordinal${order} limit ${limit}`;
};

const countIn = (list: ListName, kind: ListKind, bounds: readonly Bound[]): string => {
  const parts = partsOf(list, kind, bounds).map(({ from }) => `(select count(*) as changes from ${from})`);
  return `select sum(changes) from visible cross join lateral (${parts.join(' union all ')}) as part ${shown}`;
};

/**
 * Of an organization's list, however many changes there are: blocks of positions, and what the block of the origin has after it.
 * Small lists have no blocks.
 */
const countInBlocks = (list: ListName, origin: Place): string => {
  const blocks = (level: number, condition: string): string => `
          (select coalesce(sum(records), 0) from list_change_blocks
           where list = '${list}' and organization_id = $2 and level = ${level} and ${condition})`;
  const block = (level: number): string => `(${origin.position} >> list_change_bits(${level}))`;
  const end = `((${block(0)} + 1) << list_change_bits(0))`;
  const parts = partsOf(list, 'organization', [{ ...origin, is: '>' }]).map(
    ({ position, from }) => `(select count(*) from ${from} and ${position} < ${end})`,
  );
  return `
        case when exists (select from list_change_blocks where list = '${list}' and organization_id = $2 and level = -1)
        then (select ${blocks(1, `block > ${block(1)}`)}
          + ${blocks(0, `block > ${block(0)} and block < ((${block(1)} + 1) << (list_change_bits(1) - list_change_bits(0)))`)}
          + ${parts.join(' + ')}
         from visible)
        else (${countIn(list, 'organization', [{ ...origin, is: '>' }])}) end`;
};

/**
 * Differs where an event was applied late, and where activations are on hold: what changed then has no position of its own in the log.
 * @param lists for a user: the CTE with the lists, whether they are shown or not
 */
export const stateOf = (list: ListName, kind: ListKind, lists: string): string => {
  const text =
    kind === 'organization'
      ? correctionsOf(list, '= $2')
      : `${correctionsOf(list, `in (select organization_id from ${lists})`)}
         || coalesce((select string_agg(' on hold ' || organization_id, '' order by organization_id) from ${lists} where on_hold), '')`;
  return `('x' || substr(encode(sha256(convert_to(${text}, 'utf8')), 'hex'), 1, 15))::bit(60)::bigint`;
};

/** Of a user's lists: whether an activation is on hold, and what the fence says of it. @param addon number of the parameter */
export const activationOf = (addon: string) => {
  const subject = `'activation:' || lists.organization_id || '.' || ${addon}::text`;
  return `coalesce((select ${isActive('lists.organization_id')} from fence where subject = ${subject}), true) as open,
           exists (select from parked_events where closes in (${subject}, 'organization:' || lists.organization_id)) as on_hold`;
};

/** Up to where the read models have applied the log. */
export const upTo = `coalesce((select commit_position from checkpoints where name = 'read-models'), 0)::bigint`;

const here = (list: ListName, kind: ListKind, addon: string): string => `
  with visible as materialized (${kind === 'organization' ? ofOrganization : ofUser(list, addon)}),
  here as materialized (
    select ${upTo} as up_to, (select position from list_changes_from) as known_from,
           (select copied_at from list_changes_from) as copied_at, ${stateOf(list, kind, 'visible')} as state,
           coalesce((select bool_and(on_hold or open = active) from visible), true) as settled)`;

const ofOrganization = `
    select $2::text as organization_id, 0::bigint as since, 0::bigint as at, true as active, true as open, false as on_hold`;

/** While the fence is ahead of the read models, or behind, nothing is said of any organization. */
const ofUser = (list: ListName, addon: string): string => `
    select lists.organization_id, coalesce(activations.changed, 0) as since,
           coalesce(activations.deactivated_at, 0) as at, coalesce(activations.active, true) as active,
           ${activationOf(addon)}
    from lists
    left join activations on activations.organization_id = lists.organization_id and activations.addon_id = ${addon}::text
    where list = '${list}' and user_id = $2 and user_id <> ''`;

/**
 * $1 fence subjects, $2 organization or user, $3 items a page, $4 to $6 the place, $7 to $9 the origin; forward also $10 an offset and $11
 * whether to count; last, for a user, the add-on.
 */
export const changesStatement = (list: ListName, kind: ListKind, way: 'forward' | 'back'): Named => {
  const isForward = way === 'forward';
  const addon = isForward ? '$12' : '$10';
  const [from, origin] = [place(4), place(7)];
  const page: readonly Bound[] = isForward
    ? [{ ...from, is: '>' }]
    : [
        { ...origin, is: '>' },
        { ...from, is: '<' },
      ];
  const other: readonly Bound[] = isForward
    ? [
        { ...origin, is: '>' },
        { ...from, is: '<=' },
      ]
    : [{ ...from, is: '>=' }];
  const total =
    kind === 'organization'
      ? countInBlocks(list, origin)
      : `(${countIn(list, kind, [{ ...origin, is: '>' }])})`;
  const order = isForward ? '' : ' desc';
  const limit = isForward ? '$3::bigint + 1 + $10::bigint' : '$3::bigint + 1';
  return statement(`changes-${list}-${kind}-${way}`)`
    ${here(list, kind, addon)}
    select here.*, page.*, ${staleOf(list, kind)} as stale,
           exists (${changesIn(list, kind, other, { order, limit: '1' })}) as other,
           ${isForward ? `case when $11::boolean then ${total} end` : 'null'} as total,
           (select json_agg(row) from (${fenceRows}) as row) as fence
    from here
    left join lateral (
      select json_agg(item) as items, json_agg(created_at) as created, json_agg(id) as ids, json_agg(removed_at) as removed,
             json_agg(position::text) as positions, json_agg(organization_id) as organizations, json_agg(ordinal) as ordinals
      from (select * from (${changesIn(list, kind, page, { order, limit })}) as nearest
            order by position${order}, organization_id${order}, ordinal${order} ${isForward ? 'offset $10::bigint' : ''}) as change) as page on true`;
};
