import type { Profile } from '../domain/profile.ts';
import { makeListReader } from './lists-read/list-reader.ts';
import type { PipelinedReader } from './pipelined-reader.ts';
import type { ListReader } from './read-models.ts';

export const readProfiles = (reader: PipelinedReader): ListReader<Profile> =>
  makeListReader(reader, 'profiles');
