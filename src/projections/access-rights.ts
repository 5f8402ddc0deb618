import type { AccessRight } from '../domain/access-right.ts';
import { makeListReader } from './list-page.ts';
import { ofUsersProfiles } from './of-users-profiles.ts';
import type { ReadLane } from './read-lane.ts';
import { defineRecordProjection, type RecordList } from './record-list.ts';

const definition: RecordList<AccessRight> = {
  list: 'access_rights',
  recorded: 'AccessRightRecorded',
  removed: 'AccessRightRemoved',
  columns: {
    profileId: 'profile_id',
    opens: 'opens',
    validFrom: 'valid_from',
    validUntil: 'valid_until',
    status: 'status',
    reservationId: 'reservation_id',
  },
};

export const accessRights = defineRecordProjection(definition);

export const readAccessRights = (lane: ReadLane) =>
  makeListReader({ ...definition, ofUser: ofUsersProfiles }, lane);
