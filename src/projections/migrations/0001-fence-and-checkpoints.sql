-- Whether something that tokens hang on is open. Two callers write it with the same monotone statement; a lower
-- revision never wins. Never lowered, never truncated by a rebuild.
create table fence (
  subject  text collate "C" primary key,
  revision bigint  not null,
  epoch    integer not null,
  open     boolean not null
) with (fillfactor = 80);

-- Up to where a group of projections (or a reaction) has come, and whose turn it is to move it. A position is a pair of
-- unsigned 64-bit halves, compared as a pair.
create table checkpoints (
  name             text collate "C" primary key,
  commit_position  numeric(20, 0),
  prepare_position numeric(20, 0),
  lease_epoch      bigint not null default 0,
  check ((commit_position is null) = (prepare_position is null))
) with (fillfactor = 50);
