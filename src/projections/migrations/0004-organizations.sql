-- Organizations are renamed, have an external id, and are closed (ADR 56).
create table organizations (
  organization_id text collate "C" primary key,
  name            text not null,
  words           text[] collate "C" not null, -- the name as it is searched (src/domain/kernel/name.ts)
  external_id     text collate "C",
  hidden          boolean not null default false, -- publishers do not see its name
  created_at      bigint not null,
  closed_at       bigint -- null: open
);
create index organizations_by_external_id on organizations (external_id) where external_id is not null;
create index organizations_by_word on organizations using gin (array_to_tsvector(words));
create index organizations_by_name on organizations (
  (left(coalesce(words[1], '') || ' ' || coalesce(words[2], '') || ' ' || coalesce(words[3], '') || ' ' || coalesce(words[4], ''), 40)
   collate "C"), organization_id);

-- Those whom an operator added.
create table administrators (
  organization_id text collate "C" not null,
  user_id         text collate "C" not null,
  since           bigint not null,
  primary key (organization_id, user_id)
);
create index administrators_by_user on administrators (user_id);

-- Who administers which organization because a claim of the identity provider said so at the last sign-in (FE-04, ADR 54). A user can be in
-- both tables, and each row ends independently.
create table administrators_by_claim (
  organization_id text collate "C" not null,
  user_id         text collate "C" not null,
  since           bigint not null,
  primary key (organization_id, user_id)
);
create index administrators_by_claim_by_user on administrators_by_claim (user_id);

-- Who may read the history of which organization. Whether they may at this moment is asked of the log.
create table auditors (
  organization_id text collate "C" not null,
  user_id         text collate "C" not null,
  since           bigint not null,
  primary key (organization_id, user_id)
);
create index auditors_by_user on auditors (user_id);

create table activations (
  organization_id text collate "C" not null,
  addon_id        text collate "C" not null,
  epoch           integer not null,
  active          boolean not null,
  activated_by    text not null,
  activated_at    bigint not null,
  deactivated_by  text,
  deactivated_at  bigint,
  revoked_grants  integer,
  -- Commit position of the newest event by which users' lists gained or lost an organization's records; 0 for the first activation.
  changed         bigint not null,
  primary key (organization_id, addon_id)
);
-- The organizations whose activations a retirement ends.
create index activations_of_addon on activations (addon_id, organization_id);
