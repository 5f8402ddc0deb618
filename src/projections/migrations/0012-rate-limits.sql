-- Requests counted in the present window of each limit, shared by all instances; used only with RATE_LIMIT_STORE=database.
-- Operational, not a read model: a rebuild leaves it alone. Unlogged: a count is worth nothing after a minute, so it writes no
-- log, goes to no standby, and after a crash of the server everybody begins a new window. The columns and their order are
-- those of the library's statements; keys are MACs under the server's token key, so that no address of a browser is in here.
-- `expire` is in milliseconds since the Unix epoch.
create unlogged table rate_limits (
  key    varchar(255) collate "C" primary key,
  points integer not null default 0,
  expire bigint
) with (fillfactor = 50);
create index rate_limits_to_sweep on rate_limits (expire);
