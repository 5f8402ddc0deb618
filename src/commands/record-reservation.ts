import { reservationDecider, recordReservation } from '../domain/reservation.ts';
import { reservationStream } from '../domain/streams.ts';
import { makeRecord, type RecordNeeds } from './record.ts';

/** Records or removes a reservation of the host platform (LI-08). */
export const makeRecordReservation = (needs: RecordNeeds) =>
  makeRecord(needs, {
    streamOf: reservationStream,
    decider: reservationDecider,
    decide: recordReservation,
    find: needs.knownRecords?.reservations,
  });
