import type { ListName } from '../write/operations.ts';
import type { ListKind } from './parts.ts';

/** Whether changes wait behind a parked event (ADR 20): one look-up while nothing is. For a user's list by the user and the record's user. */
export const staleOf = (list: ListName, kind: ListKind): string =>
  kind === 'organization'
    ? `exists (select from parked_events
               where checkpoint = 'read-models' and organization_id = $2 and list = '${list}')`
    : `exists (select from parked_events as parked
               where checkpoint = 'read-models' and list in ('profiles', '${list}')
                 and (parked.user_id = $2
                      or exists (select from profiles as owner
                                 where owner.organization_id = parked.organization_id and owner.id = parked.profile_id
                                   and owner.user_id = $2)
                      or parked.list = '${list}' and exists (
                           select from ${list} as held
                           where held.organization_id = parked.organization_id and held.id = parked.record_id
                             and held.user_id = $2)))`;

/** The number of events applied late without a newer event: a part of the version; '' if there were none. */
export const correctionsOf = (list: ListName, organizations: string): string =>
  `coalesce((select string_agg(' late ' || organization_id || ' ' || times, '' order by organization_id)
             from list_corrections where list = '${list}' and organization_id ${organizations}), '')`;
