import type { Profile } from '../domain/profile.ts';
import { makeListReader } from './list-page.ts';
import type { ReadLane } from './read-lane.ts';
import { defineRecordProjection, type RecordList } from './record-list.ts';

const definition: RecordList<Profile> = {
  list: 'profiles',
  recorded: 'ProfileRecorded',
  removed: 'ProfileRemoved',
  columns: {
    name: 'name',
    email: 'email',
    userId: 'user_id',
    phone: 'phone',
    locale: 'locale',
    externalId: 'external_id',
  },
};

export const profiles = defineRecordProjection(definition);

/** A user sees the profiles that carry the user's id, in whichever organization. */
export const readProfiles = (lane: ReadLane) =>
  makeListReader({ ...definition, ofUser: 'where record.user_id = $2' }, lane);
