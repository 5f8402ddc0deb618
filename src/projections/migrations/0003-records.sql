-- The three lists. A removed record is a deleted row. `item` is the record as its list shows it, but for `created_at`, which
-- stays when the record changes; columns of their own have only what the lists are found and ordered by. `created` is the
-- commit position of the record's first event: creation order, the same after every replay.

create table profiles (
  organization_id text collate "C" not null,
  id              text collate "C" not null,
  created         bigint not null,
  created_at      text not null,
  user_id         text collate "C",
  item            json not null,
  primary key (organization_id, id)
);
create index profiles_in_order on profiles (organization_id, created, id);
create index profiles_of_a_user on profiles (user_id) where user_id is not null;

create table reservations (
  organization_id text collate "C" not null,
  id              text collate "C" not null,
  created         bigint not null,
  created_at      text not null,
  profile_id      text collate "C" not null,
  item            json not null,
  primary key (organization_id, id)
);
create index reservations_in_order on reservations (organization_id, created, id);
create index reservations_of_a_profile on reservations (organization_id, profile_id);

create table access_rights (
  organization_id text collate "C" not null,
  id              text collate "C" not null,
  created         bigint not null,
  created_at      text not null,
  profile_id      text collate "C" not null,
  item            json not null,
  primary key (organization_id, id)
);
create index access_rights_in_order on access_rights (organization_id, created, id);
create index access_rights_of_a_profile on access_rights (organization_id, profile_id);

-- How many records an organization's list holds, kept in the transaction that changes them: no COUNT(*) per request.
create table list_totals (
  list            text collate "C" not null,
  organization_id text collate "C" not null,
  total           bigint not null,
  primary key (list, organization_id)
) with (fillfactor = 50);
