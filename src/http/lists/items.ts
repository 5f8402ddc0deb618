import type { AccessRight } from '../../domain/access-right.ts';
import type { Profile } from '../../domain/profile.ts';
import type { Reservation } from '../../domain/reservation.ts';
import type { ListItem } from '../../projections/read-models.ts';

/** What every list item says about itself, in the names of the public interface. */
const common = ({ id, version }: ListItem<unknown>) => ({ id, version });
const times = ({ createdAt, updatedAt }: ListItem<unknown>) => ({
  created_at: createdAt,
  updated_at: updatedAt,
});

export const presentProfile = (item: ListItem<Profile>) => ({
  ...common(item),
  name: item.name,
  email: item.email,
  user_id: item.userId,
  phone: item.phone,
  locale: item.locale,
  external_id: item.externalId,
  ...times(item),
});

export const presentReservation = (item: ListItem<Reservation>) => ({
  ...common(item),
  profile_id: item.profileId,
  resource: item.resource,
  starts_at: item.startsAt,
  ends_at: item.endsAt,
  status: item.status,
  title: item.title,
  note: item.note,
  ...times(item),
});

export const presentAccessRight = (item: ListItem<AccessRight>) => ({
  ...common(item),
  profile_id: item.profileId,
  opens: item.opens,
  valid_from: item.validFrom,
  valid_until: item.validUntil,
  status: item.status,
  reservation_id: item.reservationId,
  ...times(item),
});
