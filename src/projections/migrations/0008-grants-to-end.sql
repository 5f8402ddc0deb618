-- The reactions go through the grants that a deactivation (or a user) ends in the order of their ids, a page at a time, so
-- the id is in the index: a page costs the same wherever it begins.
create index grants_to_end on grants (organization_id, addon_id, epoch, grant_id)
  where status <> 'ended' and organization_id is not null;
drop index grants_of_an_activation;
create index own_grants_to_end on grants (user_id, grant_id)
  where status <> 'ended' and organization_id is null;

-- For the count in RevocationCompleted.
create index grants_ended_by_deactivation on grants (organization_id, addon_id, epoch, grant_id)
  where ended_reason = 'addon-deactivated';
