import type { Reservation } from '../domain/reservation.ts';
import { makeListReader } from './lists-read/list-reader.ts';
import type { ReadLane } from './read-lane.ts';
import type { ListReader } from './read-models.ts';

export const readReservations = (lane: ReadLane): ListReader<Reservation> =>
  makeListReader(lane, 'reservations');
