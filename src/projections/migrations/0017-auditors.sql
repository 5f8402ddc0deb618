-- Who may read the history of which organization. Whether they may at this moment is asked of the log.
create table auditors (
  organization_id text collate "C" not null,
  user_id         text collate "C" not null,
  since           bigint not null,
  primary key (organization_id, user_id)
);
create index auditors_by_user on auditors (user_id);
