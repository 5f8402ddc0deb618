-- Failed attempts to sign in, shared by all instances. Operational, not a read model: a rebuild leaves them alone. Keys are
-- MACs under the server's token key, so that no e-mail address and no address of a browser is in here. Instants are
-- milliseconds since the Unix epoch; a row is worth nothing any more after `forgotten_at`.
create table sign_in_counters (
  key           bytea primary key,
  account       bytea,
  failures      integer not null,
  ages_from     bigint  not null,
  blocked_until bigint  not null,
  forgotten_at  bigint  not null
) with (fillfactor = 70);
create index sign_in_counters_to_forget on sign_in_counters (forgotten_at);
create index sign_in_counters_of_an_account on sign_in_counters (account) where account is not null;
