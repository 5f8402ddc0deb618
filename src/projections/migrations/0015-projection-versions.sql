-- Versions of read models that were built beside those in use (docs/rebuild.md). The tables of the version that is live are in
-- the service's own schema, those of every other version in a schema of its own. A read model that was never rebuilt has no row, and is at
-- version 1. How far a version has come is in `checkpoints`, by the name `rebuild:NAME:vN`.
-- Operational, not a read model: a rebuild leaves it alone. Instants are milliseconds since the Unix epoch.
create table projection_versions (
  name              text collate "C" not null,
  version           integer not null check (version > 0),
  schema            text collate "C" not null,
  -- building: not all of the log yet; built: has been where the live tables were; live: is read; old: was read.
  state             text not null check (state in ('building', 'built', 'live', 'old')),
  workers           integer not null default 1,
  started_at        bigint not null,
  -- As the last run has said, about once a second.
  events            bigint not null default 0,
  events_per_second integer,
  seconds_left      integer,
  told_at           bigint,
  built_at          bigint,
  -- What the last verification found: null before the first.
  verified_at       bigint,
  verified_equal    boolean,
  swapped_at        bigint,
  previous_version  integer,
  -- Whether the swap is in the log: it is told after the transaction, and told again after a crash.
  swap_told         boolean,
  primary key (name, version)
) with (fillfactor = 50);
create unique index projection_versions_live on projection_versions (name) where state = 'live';
