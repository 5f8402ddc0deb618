import { accessRight } from '../../../src/domain/records/access-right.ts';
import { profile } from '../../../src/domain/records/profile.ts';
import { reservation } from '../../../src/domain/records/reservation.ts';
import { recordSchema } from '../../../src/kafka/records/schemas.ts';

export const profileRecord = recordSchema(profile);
export const reservationRecord = recordSchema(reservation);
export const accessRightRecord = recordSchema(accessRight);
