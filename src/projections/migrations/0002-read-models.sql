-- Instants are milliseconds since the Unix epoch (to_timestamp(x / 1000.0) shows them).

create table addons (
  addon_id          text collate "C" primary key,
  name              text not null,
  redirect_uris     jsonb not null,
  configuration_url text,
  allowed_scopes    jsonb not null,
  confidential      boolean not null,
  suspended         boolean not null default false,
  registered_at     bigint not null
);

create table accounts (
  user_id    text collate "C" primary key,
  email      text not null,
  name       text not null,
  roles      jsonb not null,
  disabled   boolean not null default false,
  created_at bigint not null
);

create table organizations (
  organization_id text collate "C" primary key,
  name            text not null,
  created_at      bigint not null
);

create table administrators (
  organization_id text collate "C" not null,
  user_id         text collate "C" not null,
  since           bigint not null,
  primary key (organization_id, user_id)
);
create index administrators_by_user on administrators (user_id);

create table activations (
  organization_id text collate "C" not null,
  addon_id        text collate "C" not null,
  epoch           integer not null,
  active          boolean not null,
  activated_by    text,
  activated_at    bigint,
  deactivated_by  text,
  deactivated_at  bigint,
  revoked_grants  integer,
  primary key (organization_id, addon_id)
);

create table consents (
  subject_id  text collate "C" not null,
  addon_id    text collate "C" not null,
  user_id     text collate "C" not null,
  scopes      jsonb not null,
  epoch       integer,
  approved_at bigint not null,
  primary key (subject_id, addon_id, user_id)
);

-- One row per authorization, from code to end. Nothing in it can be used as a credential.
create table grants (
  grant_id        text collate "C" primary key,
  addon_id        text collate "C" not null,
  user_id         text collate "C" not null,
  organization_id text collate "C",
  epoch           integer,
  scopes          jsonb not null,
  status          text not null check (status in ('issued', 'redeemed', 'ended')),
  rotation        integer not null,
  issued_at       bigint not null,
  redeemed_at     bigint,
  refreshed_at    bigint,
  ended_at        bigint,
  ended_reason    text
) with (fillfactor = 70);
create index grants_of_an_activation on grants (organization_id, addon_id, epoch)
  where status <> 'ended' and organization_id is not null;
