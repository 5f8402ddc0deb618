-- A list as 0007-lists.sql has them.
create table lockers (
  organization_id text collate "C" not null,
  id              text collate "C" not null,
  ordinal         bigint not null,
  entered         bigint not null,
  user_id         text collate "C",
  user_ordinal    bigint,
  user_entered    bigint,
  profile_id      text collate "C" not null,
  revision        bigint not null,
  created_at      text not null,
  item            json not null,
  changed         bigint not null,
  primary key (organization_id, id),
  check ((user_id is null) = (user_ordinal is null) and (user_id is null) = (user_entered is null))
);
create unique index lockers_in_order on lockers (organization_id, ordinal);
create unique index lockers_of_a_user on lockers (user_id, organization_id, user_ordinal) where user_id is not null;
create index lockers_of_a_profile on lockers (organization_id, profile_id, ordinal);
create index lockers_changed on lockers (organization_id, changed, ordinal);
create index lockers_of_a_user_changed
  on lockers (user_id, organization_id, greatest(changed, user_entered), user_ordinal) where user_id is not null;
