-- The keys of persons (docs/personal-data.md). Not a read model: they cannot be had from the log, which is what makes erasing
-- possible, so a rebuild leaves them alone and `grantbook keys backup` keeps them. A key is wrapped (AES-256-GCM: nonce,
-- ciphertext, tag) under the master key of that id. A destroyed one stays as a row without a key: nobody gets a new one.
create table subject_keys (
  subject       text collate "C" primary key,
  key_id        text collate "C" not null unique,
  master_key_id text collate "C",
  wrapped_key   bytea,
  created_at    timestamptz not null default now(),
  erased_at     timestamptz,
  check ((wrapped_key is null) = (erased_at is not null)),
  check ((wrapped_key is null) = (master_key_id is null))
);
