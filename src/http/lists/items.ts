import type { AccessRight } from '../../domain/access-right.ts';
import type { Profile } from '../../domain/profile.ts';
import type { Reservation } from '../../domain/reservation.ts';
import type { AccessRightItem, ProfileItem, ReservationItem } from '../contracts/records.ts';
import type { ListItem } from '../../projections/read-models.ts';

// Plain literals, named one by one: they are also what serialises fast.

export const presentProfile = (item: ListItem<Profile>): ProfileItem => ({
  id: item.id,
  version: item.version,
  name: item.name,
  email: item.email,
  user_id: item.userId,
  phone: item.phone,
  locale: item.locale,
  external_id: item.externalId,
  created_at: item.createdAt,
  updated_at: item.updatedAt,
});

export const presentReservation = (item: ListItem<Reservation>): ReservationItem => ({
  id: item.id,
  version: item.version,
  profile_id: item.profileId,
  resource: item.resource,
  starts_at: item.startsAt,
  ends_at: item.endsAt,
  status: item.status,
  title: item.title,
  note: item.note,
  created_at: item.createdAt,
  updated_at: item.updatedAt,
});

export const presentAccessRight = (item: ListItem<AccessRight>): AccessRightItem => ({
  id: item.id,
  version: item.version,
  profile_id: item.profileId,
  opens: item.opens,
  valid_from: item.validFrom,
  valid_until: item.validUntil,
  status: item.status,
  reservation_id: item.reservationId,
  created_at: item.createdAt,
  updated_at: item.updatedAt,
});
