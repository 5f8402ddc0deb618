import type { ReadLane } from './read-lane.ts';
import type { ReadModels } from './read-models.ts';

export const readProfilesOfUser =
  (lane: ReadLane): ReadModels['profilesOfUser'] =>
  (userId) =>
    lane.query({ name: 'profiles-of-user', text: profilesOfUser }, [userId]);

const profilesOfUser = `
  select organization_id as "organizationId", id from profiles where user_id = $1
  order by organization_id, user_ordinal limit 1000`;
