-- Events that a read model cannot take, and every later one of the same key: the stream, within one projection (ADR 20). They are
-- written in the transaction that moves the checkpoint past them. Never an event's data; `error` holds none either.

-- Counts what others than the group's leader do to its parked keys, in the row that the leader writes with each batch.
alter table checkpoints add column parked_changes bigint not null default 0;

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
  -- Of the three lists only: which record of which list it is, and whose it would be.
  list             text collate "C",
  organization_id  text collate "C",
  record_id        text collate "C",
  profile_id       text collate "C",
  user_id          text collate "C",
  primary key (checkpoint, projection, stream, revision)
);
create index parked_events_by_id on parked_events (event_id);
create index parked_events_of_lists on parked_events (checkpoint, organization_id, list) where list is not null;

-- How often keys of a list of an organization were retried or skipped. A part of the lists' versions: what comes late changes a list
-- without any newer event. Not a part of the read models: it is kept when they are built anew.
create table list_corrections (
  list            text collate "C" not null,
  organization_id text collate "C" not null,
  times           bigint not null,
  primary key (organization_id, list)
);
