import { z } from 'zod';
import { accessRightStatuses, type AccessRight } from '../domain/access-right.ts';
import type { Profile } from '../domain/profile.ts';
import { reservationStatuses, type Reservation } from '../domain/reservation.ts';
import { email, isAfter, languageTag, optional, recordId, status, text, time, version } from './fields.ts';

/** What every line has. `deleted` may be spelled out as false. */
const identity = { id: recordId, version, deleted: z.literal(false, 'must be true or false').optional() };

/**
 * Strict on purpose: a field that is not known here would be lost without a word, so it is refused by name.
 * Each schema turns the record of `interface.md` (snake_case) into the domain's.
 */
export const profileRecord = z
  .strictObject({
    ...identity,
    name: text(200),
    email,
    user_id: optional(recordId),
    phone: optional(text(40)),
    locale: optional(languageTag),
    external_id: optional(text(200)),
  })
  .transform((line) => ({
    ...identityOf(line),
    record: {
      name: line.name,
      email: line.email,
      userId: line.user_id,
      phone: line.phone,
      locale: line.locale,
      externalId: line.external_id,
    } satisfies Profile,
  }));

export const reservationRecord = z
  .strictObject({
    ...identity,
    profile_id: recordId,
    resource: text(200),
    starts_at: time,
    ends_at: time,
    status: status(reservationStatuses),
    title: optional(text(500)),
    note: optional(text(10_000)),
  })
  .refine((line) => isAfter(line.ends_at, line.starts_at), {
    path: ['ends_at'],
    error: 'must be after starts_at',
  })
  .transform((line) => ({
    ...identityOf(line),
    record: {
      profileId: line.profile_id,
      resource: line.resource,
      startsAt: line.starts_at,
      endsAt: line.ends_at,
      status: line.status,
      title: line.title,
      note: line.note,
    } satisfies Reservation,
  }));

export const accessRightRecord = z
  .strictObject({
    ...identity,
    profile_id: recordId,
    opens: text(200),
    valid_from: time,
    valid_until: optional(time),
    status: status(accessRightStatuses),
    reservation_id: optional(recordId),
  })
  .refine((line) => line.valid_until === null || isAfter(line.valid_until, line.valid_from), {
    path: ['valid_until'],
    error: 'must be after valid_from, or null',
  })
  .transform((line) => ({
    ...identityOf(line),
    record: {
      profileId: line.profile_id,
      opens: line.opens,
      validFrom: line.valid_from,
      validUntil: line.valid_until,
      status: line.status,
      reservationId: line.reservation_id,
    } satisfies AccessRight,
  }));

/** `{"id": …, "version": …, "deleted": true}` removes a record. */
export const removedRecord = z
  .strictObject({ id: recordId, version, deleted: z.literal(true) })
  .transform((line) => ({ ...identityOf(line), record: null }));

const identityOf = ({ id, version: ofRecord }: { readonly id: string; readonly version: number }) => ({
  id,
  version: ofRecord,
});
