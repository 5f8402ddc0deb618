-- By whom a change was proposed, and when the rights of its author ended: it can no longer be decided then (FX-92). Rows of earlier
-- versions do not say it: a rebuild of `publishers` and `accounts` does.
alter table waiting_changes add column user_id text collate "C";
create table publisher_leaves (
  publisher_id text collate "C" not null,
  user_id      text collate "C" not null,
  left_at      bigint not null,
  primary key (publisher_id, user_id)
);
alter table accounts add column disabled_at bigint;
