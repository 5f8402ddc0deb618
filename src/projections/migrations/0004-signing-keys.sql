-- Keys that sign id_tokens, shared by all instances; not a read model, so a rebuild leaves them alone. A key is published as
-- soon as it is here, signs from `current_from` until the next one does, and stays for checking what it has signed. The
-- private half is sealed (AES-256-GCM: nonce, ciphertext, tag) under a subkey of the server's token key of that id.
-- Instants are milliseconds since the Unix epoch.
create table signing_keys (
  kid                text collate "C" primary key,
  algorithm          text not null check (algorithm in ('RS256', 'ES256')),
  public_jwk         jsonb not null,
  token_key_id       text collate "C" not null,
  sealed_private_key bytea not null,
  created_at         bigint not null,
  current_from       bigint not null
);
