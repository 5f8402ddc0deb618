-- What an operator can change about an add-on, and whether it has ended for good (AM-12).
alter table addons add column retired boolean not null default false;
alter table addons add column publisher text;
alter table addons add column website text;
alter table addons add column privacy_url text;
alter table addons add column support_url text;
alter table addons add column has_logo boolean not null default false;

-- The organizations whose activations a retirement ends.
create index activations_of_addon on activations (addon_id, organization_id);
