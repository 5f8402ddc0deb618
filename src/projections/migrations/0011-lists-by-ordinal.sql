-- The three lists by position (docs/lists.md, ADR 14). A list is what an organization has of one kind (user_id ''), or what one of its
-- users has of it. A record has an ordinal in its organization's list, and, when its profile carries a user's id, one in that
-- user's list: dense per list, given out by the projector in the order in which records entered it, never given twice. `entered`
-- is the commit position of the event by which it entered: it grows with the ordinal, so a walk can end where the list ended when
-- the walk began. A removed record is a deleted row.

-- Ordinals can only be told from the log, since records that are gone have had theirs too: everything that is built from
-- events is built anew. The fence is kept: never truncated.
-- The checkpoint first, as a projector does that still runs: it steps down when it next writes.
update checkpoints set commit_position = null, prepare_position = null where name = 'read-models';
-- Whether a group has once been through all of the log. Until the read models have, no token is accepted: half a list would look
-- like a whole one.
alter table checkpoints add column complete boolean not null default false;
update checkpoints set complete = commit_position is not null;
truncate addons, accounts, organizations, administrators, activations, consents, grants, connections;
drop table profiles, reservations, access_rights, list_totals;

-- `item` is the record as its list shows it, but for `created_at`, which stays when the record changes. `revision` is of the
-- record's stream, so that a writer can append without reading first.
create table profiles (
  organization_id text collate "C" not null,
  id              text collate "C" not null,
  ordinal         bigint not null,
  entered         bigint not null,
  user_id         text collate "C",
  user_ordinal    bigint,
  user_entered    bigint,
  revision        bigint not null,
  created_at      text not null,
  item            json not null,
  primary key (organization_id, id),
  check ((user_id is null) = (user_ordinal is null) and (user_id is null) = (user_entered is null))
);
create unique index profiles_in_order on profiles (organization_id, ordinal);
create unique index profiles_of_a_user on profiles (user_id, organization_id, user_ordinal) where user_id is not null;

-- `user_id` is that of the profile that the record names, as long as there is one.
create table reservations (
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
  primary key (organization_id, id),
  check ((user_id is null) = (user_ordinal is null) and (user_id is null) = (user_entered is null))
);
create unique index reservations_in_order on reservations (organization_id, ordinal);
create unique index reservations_of_a_user on reservations (user_id, organization_id, user_ordinal) where user_id is not null;
create index reservations_of_a_profile on reservations (organization_id, profile_id, ordinal);

create table access_rights (
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
  primary key (organization_id, id),
  check ((user_id is null) = (user_ordinal is null) and (user_id is null) = (user_entered is null))
);
create unique index access_rights_in_order on access_rights (organization_id, ordinal);
create unique index access_rights_of_a_user on access_rights (user_id, organization_id, user_ordinal) where user_id is not null;
create index access_rights_of_a_profile on access_rights (organization_id, profile_id, ordinal);

-- One row a list that ever held a record. `changed` is the commit position of the last event that changed what the list shows.
create table lists (
  list            text collate "C" not null, -- profiles, reservations or access_rights
  organization_id text collate "C" not null,
  user_id         text collate "C" not null, -- '' for the organization's own
  total           bigint not null,
  next_ordinal    bigint not null,           -- from 0
  changed         bigint not null,
  primary key (list, organization_id, user_id)
) with (fillfactor = 50);
create index lists_of_a_user on lists (user_id, list, organization_id) where user_id <> '';

-- How many records each run of ordinals holds: level 0 has blocks of 256 ordinals (ordinal >> 8), level 1 of 65,536
-- (ordinal >> 16). A list has rows of a level only once its ordinals no longer fit in that level's first block
-- (next_ordinal > 256, > 65536): until then that block holds `total`. A block without records has no row.
create table list_blocks (
  list            text collate "C" not null,
  organization_id text collate "C" not null,
  user_id         text collate "C" not null,
  level           smallint not null,
  block           bigint not null,
  records         integer not null check (records > 0),
  primary key (list, organization_id, user_id, level, block)
) with (fillfactor = 70);
