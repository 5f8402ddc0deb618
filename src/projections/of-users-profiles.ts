/**
 * A user sees what belongs to the profiles that carry the user's id now (LI-09). Joined when it is read: right also when
 * the profile comes after the record, or passes to another account, without touching a row of the record's list.
 */
export const ofUsersProfiles = `
  join profiles as profile on profile.organization_id = record.organization_id and profile.id = record.profile_id
  where profile.user_id = $2`;
