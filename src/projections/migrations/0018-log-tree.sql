-- Where the tree over the log stands, so that the next head of the log costs what came since the last one. No read model: an
-- empty table is filled from the log. `before` are the hashes of the whole subtrees up to the last head, `since` those of
-- what was read after it, each of 32 bytes; how many leaves each is over follows from the sizes (RFC 9162 §2.1).
create table log_tree (
  only_one         boolean primary key default true check (only_one),
  head_revision    bigint not null,
  head_size        bigint not null,
  size             bigint not null check (size >= head_size),
  commit_position  numeric(20, 0) not null,
  prepare_position numeric(20, 0) not null,
  before           bytea not null,
  since            bytea not null
) with (fillfactor = 50);
