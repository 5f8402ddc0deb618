-- The changes of the lists, in the order of the log (docs/explanation/lists.md, ADR 86). `changed` is the commit position of the newest
-- event that changed what the record shows; 0 where that was before this migration. In a user's list a record also changed when it entered.
alter table profiles add column changed bigint not null default 0;
alter table reservations add column changed bigint not null default 0;
alter table access_rights add column changed bigint not null default 0;
create index profiles_changed on profiles (organization_id, changed, ordinal) where changed > 0;
create index reservations_changed on reservations (organization_id, changed, ordinal) where changed > 0;
create index access_rights_changed on access_rights (organization_id, changed, ordinal) where changed > 0;
create index profiles_of_a_user_changed
  on profiles (user_id, organization_id, greatest(changed, user_entered), user_ordinal) where user_id is not null;
create index reservations_of_a_user_changed
  on reservations (user_id, organization_id, greatest(changed, user_entered), user_ordinal) where user_id is not null;
create index access_rights_of_a_user_changed
  on access_rights (user_id, organization_id, greatest(changed, user_entered), user_ordinal) where user_id is not null;

-- Each time a record left a list. `again`: a record with this id has entered the list since.
create table list_removals (
  list            text collate "C" not null,
  organization_id text collate "C" not null,
  user_id         text collate "C" not null, -- '' for the organization's own
  id              text collate "C" not null,
  ordinal         bigint not null,           -- that it had in the list
  entered         bigint not null,
  removed         bigint not null,           -- commit position of the event by which it left
  removed_at      bigint not null,           -- when the log stored it, milliseconds since the Unix epoch
  again           boolean not null,
  primary key (list, organization_id, user_id, id, ordinal)
);
create index list_removals_in_order on list_removals (list, organization_id, user_id, removed, ordinal) where not again;
create index list_removals_by_time on list_removals (removed_at);

-- Commit position of the newest event by which users' lists gained or lost an organization's records; 0 for the first activation.
alter table activations add column changed bigint not null default 0;

-- Where the changes begin: nothing is known of those up to `position`. It rises when removals are cleaned, and when the read models were
-- written by a version that does not know these tables: `lease_epoch` is that of the newest leader that does.
create table list_changes_from (
  one         boolean primary key default true check (one),
  position    bigint not null,
  copied_at   bigint not null, -- when the log stored the end of its copy; 0 if it is no copy
  lease_epoch bigint not null
);
insert into list_changes_from (position, copied_at, lease_epoch)
  select coalesce(max(commit_position), 0), 0, coalesce(min(-1), 0) from checkpoints where name = 'read-models';
