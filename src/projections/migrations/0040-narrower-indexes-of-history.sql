-- Indexes of history_events with 20 bytes an event, or 7, instead of 31 (ADR 47): half of the key, and of the position its beginning
-- as a floating-point number, which is in the same order. A reader compares the whole key and sorts the few rows that share a beginning.
-- 24 bits of the position (`real`) for organizations and users: as good as one event each. 16 bits for add-ons: each has many events
-- in one beginning, and PostgreSQL keeps one entry for all of them. Full pages: nothing is added between the rows of a month that is over.
create index history_events_by_organization on history_events (((organization_key >> 32)::int), (position::real))
  with (fillfactor = 100) where organization_key is not null;
create index history_events_by_addon on history_events (((addon_key >> 32)::int), substr(float4send(position::real), 1, 3))
  with (fillfactor = 100) where addon_key is not null;
create index history_events_by_user on history_events (((user_key >> 32)::int), (position::real))
  with (fillfactor = 100) where user_key is not null;

-- The writer does it for the months that it makes. It takes effect when an index is built again (`reindex`, `vacuum full`).
do $$
declare
  index regclass;
begin
  for index in
    select i.indexrelid from pg_inherits h join pg_index i on i.indrelid = h.inhrelid
    where h.inhparent = 'history_events'::regclass and i.indisprimary
  loop
    execute format('alter index %s set (fillfactor = 100)', index);
  end loop;
end
$$;
