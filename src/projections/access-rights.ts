import type { AccessRight } from '../domain/access-right.ts';
import { makeListReader } from './lists-read/list-reader.ts';
import type { ReadLane } from './read-lane.ts';
import type { ListReader } from './read-models.ts';

export const readAccessRights = (lane: ReadLane): ListReader<AccessRight> =>
  makeListReader(lane, 'access_rights');
