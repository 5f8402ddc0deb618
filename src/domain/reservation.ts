import type { Decision, Instant } from './decision.ts';
import {
  decideRecord,
  type RecordCommand,
  recordDecider,
  type RecordRefusal,
  type RecordState,
} from './record.ts';

export const reservationStatuses = ['requested', 'confirmed', 'cancelled'] as const;
export type ReservationStatus = (typeof reservationStatuses)[number];

/** Somebody has booked something for a time. `startsAt` and `endsAt` are RFC 3339 UTC as the host sent them. */
export type Reservation = {
  readonly profileId: string;
  readonly resource: string;
  readonly startsAt: string;
  readonly endsAt: string;
  readonly status: ReservationStatus;
  readonly title: string | null;
  readonly note: string | null;
};

export type ReservationEvent =
  | {
      readonly type: 'ReservationRecorded';
      readonly data: Reservation & {
        readonly organizationId: string;
        readonly id: string;
        readonly version: number;
        readonly at: Instant;
      };
    }
  | {
      readonly type: 'ReservationRemoved';
      readonly data: {
        readonly organizationId: string;
        readonly id: string;
        readonly version: number;
        readonly at: Instant;
      };
    };

export const reservationDecider = recordDecider<Reservation, ReservationEvent>((event) => {
  switch (event.type) {
    case 'ReservationRecorded':
      return reservationFields(event.data);
    case 'ReservationRemoved':
      return null;
  }
});

/** Records what the host platform says about one reservation, or removes it (LI-08). */
export const recordReservation = (
  known: RecordState<Reservation>,
  command: RecordCommand<Reservation>,
): Decision<ReservationEvent, RecordRefusal> =>
  decideRecord(known, command, (record, key): ReservationEvent =>
    record === null
      ? { type: 'ReservationRemoved', data: key }
      : { type: 'ReservationRecorded', data: { ...reservationFields(record), ...key } },
  );

/** The fields alone, without what an event or a caller keeps beside them. */
const reservationFields = ({
  profileId,
  resource,
  startsAt,
  endsAt,
  status,
  title,
  note,
}: Reservation): Reservation => ({ profileId, resource, startsAt, endsAt, status, title, note });
