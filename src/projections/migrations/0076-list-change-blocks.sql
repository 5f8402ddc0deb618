-- How many changes of an organization's list are in a run of positions, so that they can be counted since a place (ADR 86): of records by
-- `changed`, and of removals that are shown by `removed`. Only of lists that ever had so many records that counting them takes long: these
-- have a row of level -1. Written by triggers, so that a version that does not know it keeps it right, too.
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
    else format($f$select %L as list, organization_id, changed as position, %%s as n from %%I where changed > 0$f$, tg_table_name) end;
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
    from (select changed as position from %I where organization_id = $2 and changed > 0
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

-- Those that there are.
insert into list_change_blocks (list, organization_id, level, block, records)
  select list, organization_id, -1, 0, 1 from lists where user_id = '' and next_ordinal > list_changes_counted_from();
insert into list_change_blocks (list, organization_id, level, block, records)
  select list, organization_id, part, position >> list_change_bits(part), count(*)
  from (select 'profiles' as list, organization_id, changed as position from profiles where changed > 0
        union all select 'reservations', organization_id, changed from reservations where changed > 0
        union all select 'access_rights', organization_id, changed from access_rights where changed > 0
        union all select list, organization_id, removed from list_removals where user_id = '' and not again) as change
  join list_change_blocks as counted using (list, organization_id)
  cross join generate_series(0, 1) as part
  where counted.level = -1
  group by 1, 2, 3, 4;
