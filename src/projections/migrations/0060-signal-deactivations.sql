-- What was granted under an epoch that is over is told by the deactivation alone, whoever revokes it next. The worker of
-- signals knows of each organization's add-on the last epoch that ended, and of each grant its epoch (null for a user's
-- own records, and for what was granted before this migration).
create table signal_deactivations (
  organization_id text not null,
  addon_id text not null,
  epoch integer not null,
  primary key (organization_id, addon_id)
);
alter table signal_grants add column epoch integer;
