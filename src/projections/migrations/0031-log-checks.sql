-- How far `grantbook audit check-log` has compared the log with its heads, so that the next check begins there: the last one that
-- came through, and one with --full that was interrupted.
create table log_checks (
  kind             text primary key check (kind in ('verified', 'full')),
  size             bigint not null,
  root             text not null,
  commit_position  numeric(20, 0) not null,
  prepare_position numeric(20, 0) not null,
  removed          jsonb not null,
  checked_at       timestamptz not null
);
