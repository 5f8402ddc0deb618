import { type AboutKind, aboutKinds } from '../../domain/event-subjects.ts';
import type { Named } from '../database/pipelined-reader.ts';

type Order = 'forward' | 'backward';
type Statements = Readonly<Record<Order, Readonly<Record<AboutKind, Named>>>>;

/** The id that a row of `history_streams` (as `stream`) has for a kind of subject. */
const ownId: Readonly<Record<AboutKind, string>> = {
  organization: 'stream.organization_id',
  addon: 'stream.addon_id',
  user: 'stream.user_id',
  grant: `case when starts_with(stream.stream, 'grant-') then substr(stream.stream, 7) end`,
};

const beyond = { forward: '>', backward: '<' } as const;
const sorted = { forward: 'position', backward: 'position desc' } as const;

/** How the narrow rows of a kind are found, each by an index of its own. $1 is the id, $2 its key. */
const narrowRows: Readonly<Record<AboutKind, string>> = {
  organization: 'event.organization_key = $2::bigint',
  addon: 'event.addon_key = $2::bigint',
  user: 'event.user_key = $2::bigint',
  // The key is not needed here, but every parameter must have a type.
  grant: `event.stream = (select number from history_streams where stream = 'grant-' || $1) and $2::bigint is not null`,
};

const columns = `organization_id as "organizationId", addon_id as "addonId", user_id as "userId"`;

/** Every other kind and id of the two arrays has to match the stream's owner. */
const othersOfStream = (kinds: string, ids: string) => `not exists (
  select from unnest(${kinds}::text[], ${ids}::text[]) as other (kind, id)
  where other.id is distinct from case other.kind
    ${aboutKinds.map((kind) => `when '${kind}' then ${ownId[kind]}`).join(' ')} end)`;

/**
 * The events about one id, from the narrow rows and the references, the nearest first. Every part uses an index in the
 * order of the log and stops at the limit, so that a page costs the same wherever it is. `offset 0` keeps the planner
 * from starting with the streams, because then all their events would have to be sorted. `coalesce` and `any` keep the
 * planner from assuming that hardly a row passes: it would then read all of them at once. Equal keys of two ids do no
 * harm: the id is compared in `history_streams`.
 * Searches of the log are only there where they are asked for (FX-97).
 * $3 place (exclusive), $4 limit, $5 and $6 the time (inclusive), $7 actor, $8 numbers of types, $9 types, $10 and $11
 * the others
 */
const pageText = (order: Order, kind: AboutKind): string => `
  select found.position, found.stream, revision, found.number, found.type, owner.organization_id as "organizationId",
         owner.addon_id as "addonId", owner.user_id as "userId"
  from (
    (select event.position, stream.stream, event.revision::bigint, event.type::int as number, null::text as type
     from history_events as event cross join lateral (
       select * from history_streams as stream
       where stream.number = event.stream and ${ownId[kind]} = $1 offset 0) as stream
     where ${narrowRows[kind]} and event.position ${beyond[order]} $3::bigint
       and event.created >= $5::bigint and event.created <= any(array[$6::bigint])
       and coalesce($7::text is null or case event.actor when '' then 'addon:' || stream.addon_id else event.actor end = $7, false)
       and coalesce($8::smallint[] is null or event.type = any($8), false)
       and coalesce(${othersOfStream('$10', '$11')}, false)
     order by event.${sorted[order]} limit $4)
    union all
    (select position, stream, revision, null, type
     from history_references as reference
     where kind = '${kind}' and id = $1 and position ${beyond[order]} $3::bigint
       and created >= $5::bigint and created <= $6::bigint
       and ($7::text is null or actor = $7)
       and (type = any($9::text[]) or $9::text[] is null and type <> 'AuditQueried')
       and not exists (
         select from unnest($10::text[], $11::text[]) as other (kind, id)
         where not exists (
           select from history_references as same
           where same.kind = other.kind and same.id = other.id and same.position = reference.position
             and same.created = reference.created))
     order by ${sorted[order]} limit $4)
  ) as found
  left join history_streams as owner on owner.stream = found.stream
  order by found.${sorted[order]} limit $4`;

const selectIssues = `
  select number as position, stream, 0 as revision, null::int as number, 'AuthorizationCodeIssued' as type, ${columns}
  from history_streams as stream`;

/** The first events of grants. $2 place (exclusive), $3 limit, $4 and $5 the time (inclusive), $6 and $7 the others */
const issuesText = (order: Order, kind: AboutKind): string => `${selectIssues}
  where ${kind === 'grant' ? `stream = 'grant-' || $1` : `${kind}_id = $1`} and addon_id is not null
    and number ${beyond[order]} $2::bigint and created >= $4::bigint and created <= $5::bigint
    and ${othersOfStream('$6', '$7')}
  order by stream.${order === 'forward' ? 'number' : 'number desc'} limit $3`;

/** Those for users' own records. $1 the users, $2 the add-on or null, $3 the time (inclusive) */
export const historyOwnGrants: Named = {
  name: 'history-own-grants',
  text: `${selectIssues}
  where user_id = any($1::text[]) and organization_id is null and addon_id is not null
    and ($2::text is null or addon_id = $2) and created <= $3::bigint
  order by stream.number`,
};

/**
 * The events of one actor, whatever their subjects; one row per event. What add-ons do with their own grants is not in
 * the index.
 * $1 the actor, $2 place (exclusive), $3 limit, $4 and $5 the time (inclusive), $6 numbers of types, $7 types
 */
const actedText = (order: Order): string => `
  select found.position, found.stream, revision, found.number, found.type, owner.organization_id as "organizationId",
         owner.addon_id as "addonId", owner.user_id as "userId"
  from (
    (select event.position, stream.stream, event.revision::bigint, event.type::int as number, null::text as type
     from history_events as event cross join lateral (
       select * from history_streams as stream where stream.number = event.stream offset 0) as stream
     where event.actor = $1 and event.actor <> '' and event.position ${beyond[order]} $2::bigint
       and event.created >= $4::bigint and event.created <= $5::bigint
       and ($6::smallint[] is null or event.type = any($6))
     order by event.${sorted[order]} limit $3)
    union all
    (select distinct on (position) position, stream, revision, null, type
     from history_references
     where actor = $1 and actor <> '' and position ${beyond[order]} $2::bigint
       and created >= $4::bigint and created <= $5::bigint and ($7::text[] is null or type = any($7))
     order by ${sorted[order]} limit $3)
  ) as found
  left join history_streams as owner on owner.stream = found.stream
  order by found.${sorted[order]} limit $3`;

export const historyActed: Readonly<Record<Order, Named>> = {
  forward: { name: 'history-acted-forward', text: actedText('forward') },
  backward: { name: 'history-acted-backward', text: actedText('backward') },
};

const statementsFor = (name: string, text: (order: Order, kind: AboutKind) => string): Statements => {
  const of = (order: Order) =>
    Object.fromEntries(
      aboutKinds.map((kind) => [kind, { name: `${name}-${kind}-${order}`, text: text(order, kind) }]),
    ) as Readonly<Record<AboutKind, Named>>;
  return { forward: of('forward'), backward: of('backward') };
};

export const historyPages = statementsFor('history-page', pageText);
export const historyIssues = statementsFor('history-issues', issuesText);
