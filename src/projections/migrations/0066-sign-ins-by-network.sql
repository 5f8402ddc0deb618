-- From which network a browser was sent to a provider, as a keyed digest: so many rows are kept for each network. Null for sessions, and in rows
-- of an older version.
alter table provider_sign_ins add column network text collate "C";
create index provider_sign_ins_by_network on provider_sign_ins (network, expires_at) where network is not null;
