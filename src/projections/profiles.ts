import type { Profile } from '../domain/profile.ts';
import { makeListReader } from './lists-read/list-reader.ts';
import type { ReadLane } from './read-lane.ts';
import type { ListReader } from './read-models.ts';

export const readProfiles = (lane: ReadLane): ListReader<Profile> => makeListReader(lane, 'profiles');
