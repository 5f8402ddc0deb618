import type { Instant } from './decision.ts';

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
