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
