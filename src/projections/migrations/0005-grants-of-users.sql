-- Where in the log a grant's code was issued: what a withdrawal or a disabling ends came before it. Null for grants of
-- before this migration, when nothing could be withdrawn.
alter table grants add column issued_position bigint;

-- For what a withdrawal ends, and for when an add-on last renewed its access: the user sees it on the account page.
create index grants_of_a_user on grants (user_id, addon_id) where organization_id is null;

-- An approval for a user's own data has an epoch now, and the first one is 0.
update consents set epoch = 0 where epoch is null;
