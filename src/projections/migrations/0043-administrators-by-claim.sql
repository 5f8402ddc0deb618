-- Who administers which organization because a claim of the identity provider said so at the last sign-in (FE-04, ADR 54). Beside
-- `administrators`, which holds those whom an operator added: a user can be in both, and each goes by itself.
create table administrators_by_claim (
  organization_id text collate "C" not null,
  user_id         text collate "C" not null,
  since           bigint not null,
  primary key (organization_id, user_id)
);
create index administrators_by_claim_by_user on administrators_by_claim (user_id);
