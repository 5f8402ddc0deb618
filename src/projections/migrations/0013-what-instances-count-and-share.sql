-- None of these is built from the log: a rebuild leaves them alone, and what is lost with the database is lost.

-- What add-ons read of the lists, hour by hour (ADR 43). Partitions are months of UTC by `day`, made and dropped by the writer
-- (`list_reads_2026_11`). One row for each grant, list and day, so that an hour of reads costs some 25 bytes and no row.
create table list_reads (
  grant_id      text collate "C" not null, -- '': reads whose grants there was no room to distinguish
  day           bigint not null, -- its first moment, UTC
  list          smallint not null, -- src/projections/read-counts/list-read.ts
  user_id       text collate "C" not null, -- who allowed the grant
  last_at       bigint not null, -- the last read
  counts        integer[] not null, -- of hour h (0 to 23) from 4h on: pages, records, the first and the last second of the hour with a read
  networks      cidr[] not null, -- where reads came from: /24, /48; 0.0.0.0/0 stands for more than were distinguished
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

-- What add-ons did day by day, for their publishers (AP-10). A row for each thing that happened on a day.
create table addon_usage (
  addon_id   text collate "C" not null,
  day        bigint not null,            -- its first moment, UTC
  kind       text collate "C" not null,  -- token, list, refusal, limit
  name       text collate "C" not null,  -- the list, the policy, or the endpoint and the reason
  count      bigint not null,
  last_at    bigint not null,
  request_id text not null,              -- of the newest one
  primary key (addon_id, day, kind, name)
);
create index addon_usage_by_day on addon_usage (day);

-- Why requests of add-ons were refused, for seven days. Whoever knows an add-on's id can have a row written: bounds are in sweeps.ts.
create table addon_refusals (
  refusal_id text collate "C" primary key, -- increases with time
  addon_id   text collate "C" not null,
  at         bigint not null,
  endpoint   text collate "C" not null,
  reason     text collate "C" not null,
  network    cidr -- where it came from: /24, /48; null: not known
);
create index addon_refusals_of_addon on addon_refusals (addon_id, refusal_id);
create index addon_refusals_by_time on addon_refusals (at);

-- Requests counted in the present window of each limit; used only with RATE_LIMIT_STORE=database. Unlogged: a count is worth nothing after
-- a minute, so it writes no log, goes to no standby, and after a crash of the server everybody begins a new window. The columns and their
-- order are those of the library's statements; keys are MACs under the server's token key, so that no address of a browser is in here.
create unlogged table rate_limits (
  key    varchar(255) collate "C" primary key,
  points integer not null default 0,
  expire bigint
) with (fillfactor = 50);
create index rate_limits_to_sweep on rate_limits (expire);

-- Calls that append to several streams, until they have ended: one whose process was killed is completed by any instance (FX-52).
create table unfinished_calls (
  id       bigint generated always as identity primary key,
  command  text collate "C" not null,
  request  jsonb not null,
  context  jsonb,  -- of its events; null: none
  begun_at timestamptz not null default clock_timestamp() -- or when it was last taken to be completed
);

-- When an instance could not reach the event store or this database: that time does not count towards REFRESH_GRACE (ADR 31). By the clock
-- that all instances share. Rows are worth nothing after a day and go then.
create table outages (
  id    uuid primary key,
  began bigint not null,
  ended bigint not null
);

-- Whether this database takes writes, as each instance tried it last (ADR 39). Rows are removed a day later.
create table write_probes (
  instance  text collate "C" primary key,
  probed_at timestamptz not null
);

-- How many runs of the command line acted with nobody signed in (HI-06), for the metrics of every instance; the events themselves name
-- `break-glass`. One row.
create table break_glass (
  once boolean primary key default true check (once),
  runs bigint not null
);
