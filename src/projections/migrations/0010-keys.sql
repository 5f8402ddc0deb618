-- None of these is a read model: a rebuild leaves them alone.

-- Keys that sign id_tokens, shared by all instances. A key is published as soon as it is here, signs from `current_from` until the next
-- one does, and stays for checking what it has signed. The private half is encrypted (AES-256-GCM: nonce, ciphertext, tag) under a subkey
-- of the server's token key of that id.
create table signing_keys (
  kid                text collate "C" primary key,
  algorithm          text not null check (algorithm in ('RS256', 'ES256')),
  public_jwk         jsonb not null,
  token_key_id       text collate "C" not null,
  sealed_private_key bytea not null,
  created_at         bigint not null,
  current_from       bigint not null,
  -- Who wrote the row: MACs over the rest of it under subkeys of token keys, by the id of the token key, base64url.
  macs               jsonb not null
);

-- The keys of persons (docs/explanation/personal-data.md). They cannot be had from the log, which is what makes erasing possible, so
-- `grantbook keys backup` keeps them. A key is wrapped (AES-256-GCM: nonce, ciphertext, tag) under the master key of that id. A destroyed
-- one stays as a row without a key: nobody gets a new one.
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

-- Keys that were put back after their person had been given another one: what they encrypted is read with them, nothing new is encrypted
-- under them. They end with the key of their person.
create table earlier_subject_keys (
  key_id        text collate "C" primary key,
  subject       text collate "C" not null,
  master_key_id text collate "C" not null,
  wrapped_key   bytea not null,
  created_at    timestamptz not null default now()
);
create index earlier_subject_keys_by_subject on earlier_subject_keys (subject, key_id);

create view every_subject_key as
  select subject, key_id, master_key_id, wrapped_key, created_at, false as earlier from subject_keys
  union all
  select subject, key_id, master_key_id, wrapped_key, created_at, true from earlier_subject_keys;

create function end_earlier_subject_keys() returns trigger language plpgsql as $$
begin
  delete from earlier_subject_keys where subject = new.subject;
  return null;
end $$;

create trigger end_earlier_subject_keys after insert or update on subject_keys
  for each row when (new.wrapped_key is null)
  execute function end_earlier_subject_keys();

-- Keys of persons that an instance looked for and that were neither there nor destroyed: every instance and `grantbook doctor` know of them,
-- also after a restart. A row counts until its key is there again, or its person's key is destroyed.
create table lost_keys (
  key_id   text collate "C" primary key,
  subject  text collate "C" not null,
  found_at timestamptz not null default now()
);
