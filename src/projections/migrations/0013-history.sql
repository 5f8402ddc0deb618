-- Where in the log to look for what happened to an organization, an add-on, a user or a grant (ADR 17). References only: what
-- is shown is read from the log. Kept by a projector of its own (checkpoint `history`), so that nothing that answers tokens waits
-- for it. Records (profiles, reservations, access rights) are not in it: they are found by their streams' names.
create table history (
  kind             text collate "C" not null, -- organization, addon, user or grant
  id               text collate "C" not null,
  commit_position  numeric(20, 0) not null,
  prepare_position numeric(20, 0) not null,
  stream           text collate "C" not null,
  revision         bigint not null,
  type             text collate "C" not null,
  actor            text collate "C",
  created          bigint not null, -- when the log stored it, milliseconds since the Unix epoch
  primary key (kind, id, commit_position, prepare_position)
);
-- A grant's first event, of thousands that may follow.
create index history_of_grants on history (kind, id, commit_position, prepare_position)
  where type = 'AuthorizationCodeIssued';

-- Whose a grant or a session is: only its first event says it.
create table history_owners (
  stream          text collate "C" primary key,
  organization_id text collate "C",
  addon_id        text collate "C",
  user_id         text collate "C"
);
