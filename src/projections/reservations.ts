import type { Reservation } from '../domain/reservation.ts';
import { makeListReader } from './list-page.ts';
import { ofUsersProfiles } from './of-users-profiles.ts';
import type { ReadLane } from './read-lane.ts';
import type { ListReader } from './read-models.ts';
import { defineRecordProjection, type RecordList } from './record-list.ts';

const definition: RecordList<Reservation> = {
  list: 'reservations',
  recorded: 'ReservationRecorded',
  removed: 'ReservationRemoved',
  owner: { column: 'profile_id', of: ({ profileId }) => profileId },
};

export const reservations = defineRecordProjection(definition);

export const readReservations = (lane: ReadLane): ListReader<Reservation> =>
  makeListReader(lane, definition.list, ofUsersProfiles);
