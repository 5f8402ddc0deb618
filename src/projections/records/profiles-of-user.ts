import type { PipelinedReader } from '../database/pipelined-reader.ts';
import type { ReadModels } from '../read-models.ts';

export const readProfilesOfUser =
  (reader: PipelinedReader): ReadModels['profilesOfUser'] =>
  (userId) =>
    reader.query({ name: 'profiles-of-user', text: profilesOfUser }, [userId]);

const profilesOfUser = `
  select organization_id as "organizationId", id from profiles where user_id = $1
  order by organization_id, user_ordinal limit 1000`;
