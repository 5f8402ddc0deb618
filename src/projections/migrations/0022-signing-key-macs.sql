-- Who wrote a signing key: MACs over the rest of the row under subkeys of token keys, by the id of the token key, base64url. Rows
-- without one were written by the version before, or by somebody without the token keys; src/signing/trusted-rows.ts tells them apart.
alter table signing_keys add column macs jsonb not null default '{}';
