-- The signature counters of passkeys, and when each was last used (AM-03). Which passkeys there are is in the log. Rows go with the
-- passkey and with the user. Operational, not a read model: a rebuild leaves them alone. A lost row counts again from where the passkey
-- was added.
create table passkey_uses (
  passkey_id   text collate "C" primary key,
  user_id      text collate "C" not null,
  counter      bigint not null,
  last_used_at bigint not null
);
create index passkey_uses_by_user on passkey_uses (user_id);
