-- When a grant can no longer get or use a token, or its code cannot be exchanged. Rows of earlier versions do not say it: a rebuild of
-- `grants` does.
alter table grants add column expires_at bigint not null default 9223372036854775807;

-- For the count of live grants: a refresh changes none of its columns.
create index grants_redeemed on grants (grant_id) where status = 'redeemed';
