import { z } from 'zod';
import { type AccessRightEvent, accessRightStatuses } from '../../domain/access-right.ts';
import type { ProfileEvent } from '../../domain/profile.ts';
import { type ReservationEvent, reservationStatuses } from '../../domain/reservation.ts';
import { instant, schemasOf, whole } from './schemas-of.ts';

/** What every record of the host platform carries, and all that is left of it when it is removed. */
const record = { organizationId: z.string(), id: z.string(), version: whole, at: instant };

export const profileSchemas = schemasOf<ProfileEvent>()({
  ProfileRecorded: z.strictObject({
    ...record,
    name: z.string(),
    email: z.string(),
    userId: z.string().nullable(),
    phone: z.string().nullable(),
    locale: z.string().nullable(),
    externalId: z.string().nullable(),
  }),
  ProfileRemoved: z.strictObject(record),
  ProfileErased: z.strictObject(record),
});

export const reservationSchemas = schemasOf<ReservationEvent>()({
  ReservationRecorded: z.strictObject({
    ...record,
    profileId: z.string(),
    resource: z.string(),
    startsAt: z.string(),
    endsAt: z.string(),
    status: z.enum(reservationStatuses),
    title: z.string().nullable(),
    note: z.string().nullable(),
  }),
  ReservationRemoved: z.strictObject(record),
});

export const accessRightSchemas = schemasOf<AccessRightEvent>()({
  AccessRightRecorded: z.strictObject({
    ...record,
    profileId: z.string(),
    opens: z.string(),
    validFrom: z.string(),
    validUntil: z.string().nullable(),
    status: z.enum(accessRightStatuses),
    reservationId: z.string().nullable(),
  }),
  AccessRightRemoved: z.strictObject(record),
});
