-- When grants were made without a question, by session and add-on, as far as that still counts (GR-06); shared by all instances, by the
-- clock of this server. Operational, not a read model: a rebuild leaves it alone. Unlogged: it is worth nothing after a minute.
-- Times are in milliseconds since the Unix epoch.
create unlogged table silent_grants (
  key          text collate "C" primary key,
  times        bigint[] not null,
  forgotten_at bigint not null
) with (fillfactor = 50);
create index silent_grants_to_sweep on silent_grants (forgotten_at);
