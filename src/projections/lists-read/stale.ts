import type { ListName } from '../lists/operations.ts';
import type { ListKind } from './parts.ts';

/**
 * Whether changes of the list wait behind an event that could not be applied (ADR 20). One look into an index that is empty, as
 * long as nothing is parked; of a user's list every parked event is looked at for whose it would be, and whose its record is.
 */
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

/** What came late without a newer event: a part of the version; '' as long as nothing ever did. */
export const correctionsOf = (list: ListName, organizations: string): string =>
  `coalesce((select string_agg(' late ' || organization_id || ' ' || times, '' order by organization_id)
             from list_corrections where list = '${list}' and organization_id ${organizations}), '')`;
