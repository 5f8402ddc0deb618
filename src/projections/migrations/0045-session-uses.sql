-- When sessions were last used, to list the sessions of a user (AM-02). Where one was started, and whether it is valid, is in the log.
-- Rows are removed 30 days after their session expired. Not a read model.
create table session_uses (
  session_id   text collate "C" primary key,
  user_id      text collate "C" not null,
  started_at   bigint not null,
  expires_at   bigint not null,
  last_seen_at bigint not null
);
create index session_uses_by_user on session_uses (user_id, started_at);
create index session_uses_by_expiry on session_uses (expires_at);
