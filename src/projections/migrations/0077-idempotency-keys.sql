-- Requests of operators that make something, under an Idempotency-Key (ADR 88). `id`: a digest of the account and the key. `seed` is what
-- the request draws ids and secrets from, so that a repeat after a crash makes the same; it and `response` are encrypted under a token key.
create table idempotency_keys (
  id            text collate "C" primary key,
  token_key_id  text not null,
  fingerprint   bytea not null,  -- of what was asked for, under the same key
  seed          bytea not null,
  response      bytea,           -- null: not answered yet
  begun_at      bigint not null, -- milliseconds since the Unix epoch, as the next two
  running_until bigint not null, -- from then on, a repeat takes over
  expires_at    bigint not null
);
create index idempotency_keys_by_end on idempotency_keys (expires_at);
