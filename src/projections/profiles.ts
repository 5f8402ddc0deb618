import type { Profile } from '../domain/profile.ts';
import { makeListReader } from './list-page.ts';
import type { ReadLane } from './read-lane.ts';
import type { ListReader } from './read-models.ts';
import { defineRecordProjection, type RecordList } from './record-list.ts';

const definition: RecordList<Profile> = {
  list: 'profiles',
  recorded: 'ProfileRecorded',
  removed: 'ProfileRemoved',
  owner: { column: 'user_id', of: ({ userId }) => userId },
};

export const profiles = defineRecordProjection(definition);

/** A user sees the profiles that carry the user's id, in whichever organization. */
export const readProfiles = (lane: ReadLane): ListReader<Profile> =>
  makeListReader(lane, definition.list, 'where record.user_id = $2');
