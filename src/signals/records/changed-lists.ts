import { statement } from '../../common/transaction.ts';
import { recordResources } from '../../domain/records/record-resources.ts';
import { activationOf } from '../../projections/lists/read/changes.ts';

/** A list that changed since its stream was last notified, as the read models know it: the fence has not been asked. */
export type ChangedList = {
  readonly streamId: string;
  readonly addonId: string;
  readonly list: string;
  readonly kind: 'organization' | 'user';
  /** Of the organization or the user. */
  readonly subjectId: string;
  readonly grants: readonly { readonly grantId: string; readonly userId: string; readonly epoch: number }[];
  readonly changed: string;
  readonly state: string;
  /** False where it is only seen for the first time: nothing has changed since the stream asked. */
  readonly isNews: boolean;
};

type Branch = {
  /** Grants that are live in the read models, as `held`. */
  readonly held: string;
  readonly subjectId: string;
  /** One row a subject and list: when it changed, `state`, and whether fence and read models agree. */
  readonly listed: string;
};

const corrections = `coalesce((select times from list_corrections
             where list = subject.table_name and organization_id = lists.organization_id), 0)`;

const branches: Readonly<Record<ChangedList['kind'], Branch>> = {
  organization: {
    held: `activations join grants as held on held.organization_id = activations.organization_id
             and held.addon_id = activations.addon_id and held.epoch = activations.epoch
           where activations.addon_id = asking.addon_id and activations.active`,
    subjectId: 'organization_id',
    listed: `
      select changed, ${corrections}::text as state, true as settled from lists
      where list = subject.table_name and organization_id = subject.id and user_id = ''`,
  },
  // As the changes of a user's list (projections/lists/read/changes.ts): an activation that ended or began changed it, too.
  user: {
    held: `grants as held where held.addon_id = asking.addon_id and held.organization_id is null`,
    subjectId: 'user_id',
    listed: `
      select max(greatest(case when active then changed else 0 end, since)) filter (where not on_hold) as changed,
             sum(times) || ' ' || count(*) filter (where on_hold) as state, bool_and(on_hold or open = active) as settled
      from (
        select lists.changed, coalesce(activations.changed, 0) as since, coalesce(activations.active, true) as active,
               ${activationOf('subject.addon_id')}, ${corrections} as times
        from lists
        left join activations on activations.organization_id = lists.organization_id and activations.addon_id = subject.addon_id
        where list = subject.table_name and user_id = subject.id and user_id <> '') as part`,
  },
};

const isLive = `held.status <> 'ended' and held.status = 'redeemed'`;

const branch = (kind: ChangedList['kind']): string => {
  const { held, subjectId, listed } = branches[kind];
  return `
    select subject.stream_id as "streamId", subject.addon_id as "addonId", subject.path as list, '${kind}' as kind,
           subject.id as "subjectId", subject.grants, greatest(listed.changed, told.position, 0)::text as changed, listed.state,
           coalesce(listed.changed > greatest(subject.since, subject.issued, told.position), false)
             or coalesce(listed.state <> told.state, false) as "isNews"
    from (
      select asking.stream_id, asking.addon_id, asking.since, opened.path, opened.table_name, held.id,
             'records:' || opened.path || ':${kind}:' || held.id as queue, min(held.issued) as issued,
             json_agg(json_build_object('grantId', held.grant_id, 'userId', held.user_id, 'epoch', held.epoch)) as grants
      from asking
      cross join lateral (
        select held.${subjectId} as id, held.grant_id, held.user_id, held.epoch, held.scopes, held.issued_position as issued
        from ${held} and ${isLive}) as held
      join unnest($2::text[], $3::text[], $4::text[]) as opened (path, table_name, scope) on held.scopes ? opened.scope
      group by 1, 2, 3, 4, 5, 6) as subject
    cross join lateral (${listed}) as listed
    left join signal_records_told as told on told.stream_id = subject.stream_id and told.queue = subject.queue
    where listed.settled and (told.position is null or listed.changed > told.position or listed.state <> told.state)
      and not exists (select from signal_sets as waits
                      where waits.stream_id = subject.stream_id and waits.queue = subject.queue and waits.waiting)`;
};

const selectChanged = statement('changed-lists-of-signal-streams')`
  with asking as materialized (
    select stream_id, addon_id, since from signal_record_streams join signal_streams using (stream_id)
    where stream_id = any($1))
  ${branch('organization')} union all ${branch('user')}`;

/** Those that the add-ons' live grants open. Of a list of which one message waits nothing is said: its receiver reads all that changed. */
export const selectChangedLists = (streamIds: readonly string[]) => ({
  ...selectChanged,
  values: [
    streamIds,
    recordResources.map(({ path }) => path),
    recordResources.map(({ table }) => table),
    recordResources.map(({ scope }) => scope),
  ],
});
