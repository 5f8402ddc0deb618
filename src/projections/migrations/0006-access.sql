create table consents (
  subject_id  text collate "C" not null,
  addon_id    text collate "C" not null,
  user_id     text collate "C" not null,
  scopes      jsonb not null,
  epoch       integer not null,
  approved_at bigint not null,
  primary key (subject_id, addon_id, user_id)
);

-- One row per authorization, from code to end. Nothing in it can be used as a credential.
create table grants (
  grant_id        text collate "C" primary key,
  addon_id        text collate "C" not null,
  user_id         text collate "C" not null,
  organization_id text collate "C",
  epoch           integer not null,
  scopes          jsonb not null,
  status          text not null check (status in ('issued', 'redeemed', 'ended')),
  rotation        integer not null,
  issued_at       bigint not null,
  -- Where in the log the code was issued: what a withdrawal or a disabling ends came before it.
  issued_position bigint not null,
  redeemed_at     bigint,
  refreshed_at    bigint,
  -- When it can no longer get or use a token, or its code cannot be exchanged.
  expires_at      bigint not null,
  ended_at        bigint,
  ended_reason    text
) with (fillfactor = 70);

-- For what a withdrawal ends, and for when an add-on last renewed its access: the user sees it on the account page.
create index grants_of_a_user on grants (user_id, addon_id) where organization_id is null;

-- The reactions go through the grants that a deactivation (or a user) ends in the order of their ids, a page at a time, so
-- the id is in the index: a page costs the same wherever it begins.
create index grants_to_end on grants (organization_id, addon_id, epoch, grant_id)
  where status <> 'ended' and organization_id is not null;
create index own_grants_to_end on grants (user_id, grant_id)
  where status <> 'ended' and organization_id is null;
create index own_grants_of_addon on grants (addon_id) where status <> 'ended' and organization_id is null;

-- For the count in RevocationCompleted.
create index grants_ended_by_deactivation on grants (organization_id, addon_id, epoch, grant_id)
  where ended_reason = 'addon-deactivated';

-- Retention removes grants whose code was never redeemed (ADR 40). What they left in `connections` goes with the last grant of its kind; the
-- only others that can be there then have ended without a token. There are few of them.
create index grants_ended_unredeemed on grants (organization_id, addon_id, epoch, user_id)
  where status = 'ended' and redeemed_at is null and organization_id is not null;

-- Grants of an organization, an add-on, or whoever allowed them, a page at a time (`grantbook grant list`).
create index grants_of_organization on grants (organization_id, grant_id) where organization_id is not null;
create index grants_of_addon on grants (addon_id, grant_id);
create index grants_allowed_by on grants (user_id, grant_id);

-- For the count of live grants: a refresh changes none of its columns.
create index grants_redeemed on grants (grant_id) where status = 'redeemed';

-- What an add-on holds for an organization, added up in the transaction that changes the grants, so that nobody counts grants
-- to confirm or to prove a deactivation. One row for each (organization, add-on, epoch, who approved, what was approved).
-- `live` are grants whose code was exchanged and that nothing has ended; `unredeemed` codes that were never exchanged, also
-- those that expired. `last_token_at` is when a token was issued last. `scopes` is sorted and space-delimited (RFC 6749 §3.3).
-- No check that the counts are not below 0: it would judge the row that an upsert proposes, which is a difference.
create table connections (
  organization_id text collate "C" not null,
  addon_id        text collate "C" not null,
  epoch           integer not null,
  user_id         text collate "C" not null,
  scopes          text collate "C" not null,
  unredeemed      integer not null,
  live            integer not null,
  last_token_at   bigint,
  primary key (organization_id, addon_id, epoch, user_id, scopes)
) with (fillfactor = 50);
