import type { AccessRight } from '../domain/access-right.ts';
import { makeListReader } from './list-page.ts';
import { ofUsersProfiles } from './of-users-profiles.ts';
import type { ReadLane } from './read-lane.ts';
import type { ListReader } from './read-models.ts';
import { defineRecordProjection, type RecordList } from './record-list.ts';

const definition: RecordList<AccessRight> = {
  list: 'access_rights',
  recorded: 'AccessRightRecorded',
  removed: 'AccessRightRemoved',
  owner: { column: 'profile_id', of: ({ profileId }) => profileId },
};

export const accessRights = defineRecordProjection(definition);

export const readAccessRights = (lane: ReadLane): ListReader<AccessRight> =>
  makeListReader(lane, definition.list, ofUsersProfiles);
