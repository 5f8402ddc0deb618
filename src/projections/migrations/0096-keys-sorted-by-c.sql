-- What an index sorts is sorted by "C": another C library or ICU under the server changes no order of ours.
do $$
declare
  one record;
begin
  for one in
    select distinct c.oid::regclass as of, a.attname as name, format_type(a.atttypid, a.atttypmod) as type
    from pg_index i
      join pg_class c on c.oid = i.indrelid
      join pg_attribute a on a.attrelid = c.oid and a.attnum = any (i.indkey)
    where c.oid in (select oid from pg_class where relnamespace = quote_ident(current_schema())::regnamespace and relname not like '%migration%')
      and a.attcollation = '"default"'::regcollation
  loop
    execute format('alter table %s alter column %I type %s collate "C"', one.of, one.name, one.type);
  end loop;
end $$;
