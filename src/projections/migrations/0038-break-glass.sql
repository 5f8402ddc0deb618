-- How many runs of the command line acted with nobody signed in (HI-06), for the metrics of every instance; the events themselves name
-- `break-glass`. One row. Operational, not a read model: a rebuild leaves it alone.
create table break_glass (
  once boolean primary key default true check (once),
  runs bigint not null
);

-- Grants of an organization, an add-on, or whoever allowed them, a page at a time (`grantbook grant list`).
create index grants_of_organization on grants (organization_id, grant_id) where organization_id is not null;
create index grants_of_addon on grants (addon_id, grant_id);
create index grants_allowed_by on grants (user_id, grant_id);
