-- The lists by position (docs/explanation/lists.md, ADR 14). A list is what an organization has of one kind (user_id ''), or what one of
-- its users has of it. A record has an ordinal in its organization's list, and, when its profile carries a user's id, one in that
-- user's list: dense per list, given out by the projector in the order in which records entered it, never given twice. `entered`
-- is the commit position of the event by which it entered: it grows with the ordinal, so a walk can end where the list ended when
-- the walk began. A removed record is a deleted row.
-- `item` is the record as its list shows it, but for `created_at`, which stays when the record changes. `revision` is of the
-- record's stream, so that a writer can append without reading first. `changed` is the commit position of the newest event that changed
-- what the record shows (ADR 86). In a user's list a record also changed when it entered.

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
  changed         bigint not null,
  primary key (organization_id, id),
  check ((user_id is null) = (user_ordinal is null) and (user_id is null) = (user_entered is null))
);
create unique index profiles_in_order on profiles (organization_id, ordinal);
create unique index profiles_of_a_user on profiles (user_id, organization_id, user_ordinal) where user_id is not null;
create index profiles_changed on profiles (organization_id, changed, ordinal);
create index profiles_of_a_user_changed
  on profiles (user_id, organization_id, greatest(changed, user_entered), user_ordinal) where user_id is not null;

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
  changed         bigint not null,
  primary key (organization_id, id),
  check ((user_id is null) = (user_ordinal is null) and (user_id is null) = (user_entered is null))
);
create unique index reservations_in_order on reservations (organization_id, ordinal);
create unique index reservations_of_a_user on reservations (user_id, organization_id, user_ordinal) where user_id is not null;
create index reservations_of_a_profile on reservations (organization_id, profile_id, ordinal);
create index reservations_changed on reservations (organization_id, changed, ordinal);
create index reservations_of_a_user_changed
  on reservations (user_id, organization_id, greatest(changed, user_entered), user_ordinal) where user_id is not null;

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
  changed         bigint not null,
  primary key (organization_id, id),
  check ((user_id is null) = (user_ordinal is null) and (user_id is null) = (user_entered is null))
);
create unique index access_rights_in_order on access_rights (organization_id, ordinal);
create unique index access_rights_of_a_user on access_rights (user_id, organization_id, user_ordinal) where user_id is not null;
create index access_rights_of_a_profile on access_rights (organization_id, profile_id, ordinal);
create index access_rights_changed on access_rights (organization_id, changed, ordinal);
create index access_rights_of_a_user_changed
  on access_rights (user_id, organization_id, greatest(changed, user_entered), user_ordinal) where user_id is not null;

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

-- How often keys of a list of an organization were retried or skipped. A part of the lists' versions: what comes late changes a list
-- without any newer event. Not a part of the read models: it is kept when they are built anew.
create table list_corrections (
  list            text collate "C" not null,
  organization_id text collate "C" not null,
  times           bigint not null,
  primary key (organization_id, list)
);

-- Each time a record left a list. `again`: a record with this id has entered the list since.
create table list_removals (
  list            text collate "C" not null,
  organization_id text collate "C" not null,
  user_id         text collate "C" not null, -- '' for the organization's own
  id              text collate "C" not null,
  ordinal         bigint not null,           -- that it had in the list
  entered         bigint not null,
  removed         bigint not null,           -- commit position of the event by which it left
  removed_at      bigint not null,           -- when the log stored it
  again           boolean not null,
  primary key (list, organization_id, user_id, id, ordinal)
);
create index list_removals_in_order on list_removals (list, organization_id, user_id, removed, ordinal) where not again;
create index list_removals_by_time on list_removals (removed_at);

-- Where the changes begin: nothing is known of those up to `position`, which rises when removals are cleaned.
create table list_changes_from (
  one       boolean primary key default true check (one),
  position  bigint not null,
  copied_at bigint not null -- when the log stored the end of its copy; 0 if it is no copy
);
insert into list_changes_from (position, copied_at) values (0, 0);

-- How many changes of an organization's list are in a run of positions, so that they can be counted since a place (ADR 86): of records by
-- `changed`, and of removals that are shown by `removed`. Only of lists that ever had so many records that counting them takes long: these
-- have a row of level -1. Written by triggers.
-- Level 0 has blocks of 128 KiB of the log, level 1 of 16 MiB.
create function list_change_bits(level integer) returns integer language sql immutable parallel safe
  return case level when 0 then 17 else 24 end;

create function list_changes_counted_from() returns bigint language sql immutable parallel safe return 4096;

create table list_change_blocks (
  list            text collate "C" not null,
  organization_id text collate "C" not null,
  level           smallint not null,
  block           bigint not null, -- position >> list_change_bits(level)
  records         bigint not null,
  since           bigint generated always as (block << list_change_bits(level)) stored, -- its first position
  primary key (list, organization_id, level, block)
) with (fillfactor = 70);
create index list_change_blocks_empty on list_change_blocks (list) where records = 0;
create index list_change_blocks_counted on list_change_blocks (list, organization_id) where level = -1;

-- Unqualified names are those of the version of the read model that is written.
create function count_list_changes() returns trigger language plpgsql as $$
declare
  change text := case tg_table_name
    when 'list_removals' then $f$select list, organization_id, removed as position, %s as n from %I where user_id = '' and not again$f$
    else format($f$select %L as list, organization_id, changed as position, %%s as n from %%I$f$, tg_table_name) end;
  came text := format(change, 1, 'came');
  gone text := format(change, -1, 'gone');
begin
  if not exists (select from list_change_blocks where level = -1) then
    return null;
  end if;
  execute 'insert into list_change_blocks as known (list, organization_id, level, block, records)
    select list, organization_id, part, position >> list_change_bits(part), sum(n)
    from (' || case tg_op when 'INSERT' then came when 'DELETE' then gone else came || ' union all ' || gone end || ') as change
    join list_change_blocks as counted using (list, organization_id)
    cross join generate_series(0, 1) as part
    where counted.level = -1
    group by 1, 2, 3, 4 having sum(n) <> 0
    on conflict (list, organization_id, level, block) do update set records = known.records + excluded.records';
  delete from list_change_blocks where records = 0;
  return null;
end $$;

create trigger count_changes_came after insert on profiles
  referencing new table as came for each statement execute function count_list_changes();
create trigger count_changes_went after delete on profiles
  referencing old table as gone for each statement execute function count_list_changes();
create trigger count_changes_changed after update on profiles
  referencing old table as gone new table as came for each statement execute function count_list_changes();
create trigger count_changes_came after insert on reservations
  referencing new table as came for each statement execute function count_list_changes();
create trigger count_changes_went after delete on reservations
  referencing old table as gone for each statement execute function count_list_changes();
create trigger count_changes_changed after update on reservations
  referencing old table as gone new table as came for each statement execute function count_list_changes();
create trigger count_changes_came after insert on access_rights
  referencing new table as came for each statement execute function count_list_changes();
create trigger count_changes_went after delete on access_rights
  referencing old table as gone for each statement execute function count_list_changes();
create trigger count_changes_changed after update on access_rights
  referencing old table as gone new table as came for each statement execute function count_list_changes();
create trigger count_changes_came after insert on list_removals
  referencing new table as came for each statement execute function count_list_changes();
create trigger count_changes_went after delete on list_removals
  referencing old table as gone for each statement execute function count_list_changes();
create trigger count_changes_changed after update on list_removals
  referencing old table as gone new table as came for each statement execute function count_list_changes();

-- At the end of the transaction, when all others have fired: what they counted of it so far is nothing.
create function begin_counting_list_changes() returns trigger language plpgsql as $$
begin
  execute format('insert into list_change_blocks (list, organization_id, level, block, records)
    select $1, $2, level, position >> list_change_bits(level), count(*)
    from (select changed as position from %I where organization_id = $2
          union all select removed from list_removals
          where list = $1 and organization_id = $2 and user_id = '''' and not again) as change
    cross join generate_series(0, 1) as level
    group by 3, 4
    union all select $1, $2, -1, 0, 1', new.list) using new.list, new.organization_id;
  return null;
end $$;

create constraint trigger begin_counting_new after insert on lists deferrable initially deferred for each row
  when (new.user_id = '' and new.next_ordinal > list_changes_counted_from()) execute function begin_counting_list_changes();
create constraint trigger begin_counting after update on lists deferrable initially deferred for each row
  when (new.user_id = '' and new.next_ordinal > list_changes_counted_from() and old.next_ordinal <= list_changes_counted_from())
  execute function begin_counting_list_changes();
