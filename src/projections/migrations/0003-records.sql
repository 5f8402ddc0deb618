-- The three lists. A removed record is a deleted row. Times of the host platform stay the text that it sent (RFC 3339 UTC).

create table profiles (
  organization_id text collate "C" not null,
  id              text collate "C" not null,
  version         bigint not null,
  created         bigint not null,
  created_at      bigint not null,
  updated_at      bigint not null,
  name            text not null,
  email           text not null,
  user_id         text collate "C",
  phone           text,
  locale          text,
  external_id     text,
  primary key (organization_id, id)
);
create index profiles_in_order on profiles (organization_id, created, id);
create index profiles_of_a_user on profiles (user_id) where user_id is not null;

create table reservations (
  organization_id text collate "C" not null,
  id              text collate "C" not null,
  version         bigint not null,
  created         bigint not null,
  created_at      bigint not null,
  updated_at      bigint not null,
  profile_id      text collate "C" not null,
  resource        text not null,
  starts_at       text not null,
  ends_at         text not null,
  status          text not null,
  title           text,
  note            text,
  primary key (organization_id, id)
);
create index reservations_in_order on reservations (organization_id, created, id);
create index reservations_of_a_profile on reservations (organization_id, profile_id);

create table access_rights (
  organization_id text collate "C" not null,
  id              text collate "C" not null,
  version         bigint not null,
  created         bigint not null,
  created_at      bigint not null,
  updated_at      bigint not null,
  profile_id      text collate "C" not null,
  opens           text not null,
  valid_from      text not null,
  valid_until     text,
  status          text not null,
  reservation_id  text,
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
