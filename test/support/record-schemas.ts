import { accessRight } from '../../src/domain/access-right.ts';
import { profile } from '../../src/domain/profile.ts';
import { reservation } from '../../src/domain/reservation.ts';
import { recordSchema } from '../../src/records/schemas.ts';

export const profileRecord = recordSchema(profile);
export const reservationRecord = recordSchema(reservation);
export const accessRightRecord = recordSchema(accessRight);
