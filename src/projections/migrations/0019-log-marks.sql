-- Events that the log had, one a minute at the most while anything happens, in streams that are kept for ever. By them a log that
-- was restored from an older backup is told from the one that these tables were built from, also when it has grown since.
create table log_marks (
  commit_position  numeric(20, 0) not null,
  prepare_position numeric(20, 0) not null,
  event_id         uuid not null,
  stream           text collate "C" not null,
  revision         bigint not null,
  created_at       bigint not null, -- when the log stored it, milliseconds since the Unix epoch
  primary key (commit_position, prepare_position)
);
