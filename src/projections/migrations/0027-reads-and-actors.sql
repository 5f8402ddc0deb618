-- What add-ons read of the lists, hour by hour (ADR 43). Counted by the instances, not built from the log: a rebuild leaves it alone,
-- and what is lost with the database is lost. Partitions are months of UTC by `day`, made and dropped by the writer
-- (`list_reads_2026_11`). One row for each grant, list and day, so that an hour of reads costs some 25 bytes and no row.
create table list_reads (
  grant_id      text collate "C" not null, -- '': reads whose grants there was no room to tell apart
  day           bigint not null, -- its first moment, UTC, milliseconds since the Unix epoch
  list          smallint not null, -- src/projections/list-reads/list-read.ts
  user_id       text collate "C" not null, -- who allowed the grant
  last_at       bigint not null, -- the last read, milliseconds since the Unix epoch
  counts        integer[] not null, -- of hour h (0 to 23) from 4h on: pages, records, the first and the last second of the hour with a read
  networks      cidr[] not null, -- where reads came from: /24, /48; 0.0.0.0/0 stands for more than were told apart
  network_hours integer[] not null, -- for each network: bit h is set when hour h had reads from there
  primary key (grant_id, day, list)
) partition by range (day);
create index list_reads_of_user on list_reads (user_id);

-- The last batch of counts that each process has added, so that one whose answer was lost is not added twice. Removed a day later.
create table list_read_batches (
  counter  text collate "C" primary key,
  batch    bigint not null,
  added_at timestamptz not null
);

-- Everything that a person did, whomever it concerned. What an add-on does with its own grants is in neither: a refresh costs nothing.
create index history_events_of_actor on history_events (actor, position) where actor <> '';
create index history_references_of_actor on history_references (actor, position) where actor <> '';
