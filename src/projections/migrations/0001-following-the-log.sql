-- Instants of type bigint are milliseconds since the Unix epoch (to_timestamp(x / 1000.0) shows them), in all tables.

-- Up to where a group of projections (or a reaction) has come, and whose turn it is to move it. A position is a pair of
-- unsigned 64-bit halves, compared as a pair.
create table checkpoints (
  name             text collate "C" primary key,
  commit_position  numeric(20, 0),
  prepare_position numeric(20, 0),
  lease_epoch      bigint not null default 0,
  -- Whether the group has once been through all of the log. Until the read models have, no token is accepted: half a list would look
  -- like a whole one.
  complete         boolean not null default false,
  -- Counts what others than the group's leader do to its parked keys, in the row that the leader writes with each batch.
  parked_changes   bigint not null default 0,
  check ((commit_position is null) = (prepare_position is null))
) with (fillfactor = 50);

-- Which event types are read from a checkpoint on, by any version that has ever run here (ADR 45). A leader that does not know one of
-- them moves the checkpoint up to such an event and not past it. Rows are added by whoever starts; a later version that gives a type up
-- removes its row by a migration.
create table checkpoint_event_types (
  checkpoint    text collate "C" not null,
  event_type    text collate "C" not null,
  -- Whether a leader of an older version passes over events of the type because no newer instance led past one, and since when tables
  -- may lack such events (ADR 77).
  passing       boolean not null default false,
  missing_since timestamptz,
  primary key (checkpoint, event_type)
);

-- Events that a read model cannot take, and every later one of the same key: the stream, within one projection (ADR 20). They are
-- written in the transaction that moves the checkpoint past them. Never an event's data; `error` holds none either.
create table parked_events (
  checkpoint       text collate "C" not null, -- of the group, or of a version that is being rebuilt
  projection       text collate "C" not null,
  stream           text collate "C" not null,
  revision         bigint not null,
  event_id         uuid not null,
  type             text collate "C" not null,
  commit_position  numeric(20, 0) not null,
  prepare_position numeric(20, 0) not null,
  -- Why it cannot be applied; null where it waits for the ones ahead of it.
  error            text,
  parked_at        timestamptz not null default now(),
  -- Of the lists only: which record of which list it is, and whose it would be.
  list             text collate "C",
  organization_id  text collate "C",
  record_id        text collate "C",
  profile_id       text collate "C",
  user_id          text collate "C",
  -- Of the fence only: the subject that is closed as long as the event is parked; whoever reads the fence reads this with it.
  closes           text collate "C",
  primary key (checkpoint, projection, stream, revision)
);
create index parked_events_by_id on parked_events (event_id);
create index parked_events_of_lists on parked_events (checkpoint, organization_id, list) where list is not null;
create index parked_events_closing on parked_events (closes) where closes is not null;

-- Versions of read models that were built next to those in use. The tables of the version that is live are in the service's own schema,
-- those of every other version in a schema of its own. A read model that was never rebuilt has no row, and is at version 1. How far a
-- version has come is in `checkpoints`, by the name `rebuild:NAME:vN`. Operational, not a read model: a rebuild leaves it alone.
create table projection_versions (
  name              text collate "C" not null,
  version           integer not null check (version > 0),
  schema            text collate "C" not null,
  -- building: not all of the log yet; built: has been where the live tables were; live: is read; old: was read.
  state             text not null check (state in ('building', 'built', 'live', 'old')),
  started_at        bigint not null,
  -- As the last run has reported, about once a second.
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
  -- Whether the swap is in the log: it is appended after the transaction, and again after a crash.
  swap_told         boolean,
  primary key (name, version)
) with (fillfactor = 50);
create unique index projection_versions_live on projection_versions (name) where state = 'live';
