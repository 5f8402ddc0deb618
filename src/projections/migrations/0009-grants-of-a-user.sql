-- When an add-on last renewed its access to a user's own data: for the page on which the user sees and ends it.
create index grants_of_a_user on grants (user_id, addon_id) where organization_id is null;
