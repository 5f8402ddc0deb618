-- Events that the log had, one a minute at the most while anything happens, in streams that are kept permanently. By them a log that
-- was restored from an older backup is distinguished from the one that these tables were built from, also when it has grown since.
create table log_marks (
  commit_position  numeric(20, 0) not null,
  prepare_position numeric(20, 0) not null,
  event_id         uuid not null,
  stream           text collate "C" not null,
  revision         bigint not null,
  created_at       bigint not null, -- when the log stored it
  primary key (commit_position, prepare_position)
);

-- Tiles of the tree over the log (c2sp.org/tlog-tiles): at level 0 hashes of 256 leaves, above it roots over 256 tiles of the level
-- below. The last tile of a level is partial. `commit_position` and `prepare_position` are those of the tile's last leaf, at
-- level 0 only. The leaf of an event that retention removed is nowhere else, so this table belongs into backups.
create table log_tiles (
  level            smallint not null check (level >= 0),
  index            bigint not null check (index >= 0),
  commit_position  numeric(20, 0),
  prepare_position numeric(20, 0),
  hashes           bytea not null check (length(hashes) between 32 and 8192 and length(hashes) % 32 = 0),
  primary key (level, index),
  check ((level = 0) = (commit_position is not null and prepare_position is not null))
);
-- Hashes cannot be compressed.
alter table log_tiles alter column hashes set storage external;
create index log_tiles_by_position on log_tiles (commit_position, prepare_position) where level = 0;

-- How far `grantbook audit check-log` has compared the log with its heads, so that the next check begins there: the last one that
-- came through, and one with --full that was interrupted.
create table log_checks (
  kind             text collate "C" primary key check (kind in ('verified', 'full')),
  size             bigint not null,
  root             text not null,
  commit_position  numeric(20, 0) not null,
  prepare_position numeric(20, 0) not null,
  removed          jsonb not null,
  checked_at       timestamptz not null
);

-- Which signed heads of the log were deposited where, and which are still to be. A row for each head and place.
create table head_deposits (
  head_revision bigint not null,
  target        text collate "C" not null check (target in ('directory', 'topic', 'timestamp')),
  size          bigint not null,
  signed_at     timestamptz not null,
  deposited_at  timestamptz,
  attempts      integer not null default 0,
  last_error    text,
  primary key (head_revision, target)
);
create index head_deposits_waiting on head_deposits (target, head_revision) where deposited_at is null;
