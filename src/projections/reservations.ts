import type { Reservation } from '../domain/reservation.ts';
import { makeListReader } from './list-page.ts';
import { ofUsersProfiles } from './of-users-profiles.ts';
import type { ReadLane } from './read-lane.ts';
import { defineRecordProjection, type RecordList } from './record-list.ts';

const definition: RecordList<Reservation> = {
  list: 'reservations',
  recorded: 'ReservationRecorded',
  removed: 'ReservationRemoved',
  columns: {
    profileId: 'profile_id',
    resource: 'resource',
    startsAt: 'starts_at',
    endsAt: 'ends_at',
    status: 'status',
    title: 'title',
    note: 'note',
  },
};

export const reservations = defineRecordProjection(definition);

export const readReservations = (lane: ReadLane) =>
  makeListReader({ ...definition, ofUser: ofUsersProfiles }, lane);
