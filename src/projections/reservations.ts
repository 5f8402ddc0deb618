import type { Reservation } from '../domain/reservation.ts';
import { makeListReader } from './lists-read/list-reader.ts';
import type { PipelinedReader } from './pipelined-reader.ts';
import type { ListReader } from './read-models.ts';

export const readReservations = (reader: PipelinedReader): ListReader<Reservation> =>
  makeListReader(reader, 'reservations');
