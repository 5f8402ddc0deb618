-- How many changes of an organization's list are in a run of positions, so that they can be counted since a place (ADR 86): of records by
-- `changed`, and of removals that are shown by `removed`. Written by triggers, so that a version that does not know it keeps it right, too.
-- Level 0 has blocks of 128 KiB of the log, level 1 of 16 MiB.
create function list_change_bits(level integer) returns integer language sql immutable parallel safe
  return case level when 0 then 17 else 24 end;

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

-- Unqualified names are those of the version of the read model that is written.
create function count_list_changes() returns trigger language plpgsql as $$
declare
  change text := case tg_table_name
    when 'list_removals' then $f$select list, organization_id, removed as position, %s as n from %I where user_id = '' and not again$f$
    else format($f$select %L as list, organization_id, changed as position, %%s as n from %%I where changed > 0$f$, tg_table_name) end;
  came text := format(change, 1, 'came');
  gone text := format(change, -1, 'gone');
begin
  execute 'insert into list_change_blocks as known (list, organization_id, level, block, records)
    select list, organization_id, level, position >> list_change_bits(level), sum(n)
    from (' || case tg_op when 'INSERT' then came when 'DELETE' then gone else came || ' union all ' || gone end || ') as change
    cross join generate_series(0, 1) as level
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

insert into list_change_blocks (list, organization_id, level, block, records)
  select list, organization_id, level, position >> list_change_bits(level), count(*)
  from (select 'profiles' as list, organization_id, changed as position from profiles where changed > 0
        union all select 'reservations', organization_id, changed from reservations where changed > 0
        union all select 'access_rights', organization_id, changed from access_rights where changed > 0
        union all select list, organization_id, removed from list_removals where user_id = '' and not again) as change
  cross join generate_series(0, 1) as level
  group by 1, 2, 3, 4;
