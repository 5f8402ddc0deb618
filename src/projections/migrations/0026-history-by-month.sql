-- Where in the log to look for what happened to an organization, an add-on, a user or a grant (ADR 32; ADR 17 for why). It takes
-- the place of `history` and `history_owners`, which stay, as the version before still writes them: a later version drops them.
-- References only: what is shown is read from the log. Kept by a projector of its own (checkpoint `timelines`).
-- Positions: commit and prepare are the same for every event that the gRPC interface appends, so one number holds both. Instants are
-- milliseconds since the Unix epoch. Partitions are months of UTC by `created`, made by the writer (`history_events_2026_11`).

-- Each grant's and each session's stream, with what only its first event says: whose it is. Never archived.
create table history_streams (
  stream          text collate "C" primary key,
  number          bigint not null, -- the position of its first event, which no other stream has
  created         bigint not null, -- when the log stored that
  organization_id text collate "C",
  addon_id        text collate "C",
  user_id         text collate "C"
);
create unique index history_streams_by_number on history_streams (number);
-- Streams of grants, in the order of issue: only they have an add-on.
create index history_streams_of_organization on history_streams (organization_id, number) where organization_id is not null;
create index history_streams_of_addon on history_streams (addon_id, number) where addon_id is not null;
create index history_streams_of_user on history_streams (user_id, number) where addon_id is not null;

-- One narrow row for each event of such a stream: a refresh makes one of them and nothing else. The keys are the first eight bytes of
-- SHA-256 of the id; two ids with one key do no harm, as a reader compares the ids in history_streams.
create table history_events (
  stream           bigint not null, -- history_streams.number
  position         bigint not null,
  created          bigint not null, -- when the log stored it
  organization_key bigint,
  addon_key        bigint,
  user_key         bigint,
  revision         integer not null,
  type             smallint not null, -- src/projections/history-types.ts
  actor            text collate "C", -- '' is the stream's own add-on; null: the event does not say it
  primary key (stream, position, created)
) partition by range (created);
create index history_events_of_organization on history_events (organization_key, position) where organization_key is not null;
create index history_events_of_addon on history_events (addon_key, position) where addon_key is not null;
create index history_events_of_user on history_events (user_key, position) where user_key is not null;

-- All other events, which people cause: one row for each organization, add-on, user or grant that one of them concerns.
create table history_references (
  kind     text collate "C" not null, -- organization, addon, user or grant
  id       text collate "C" not null,
  position bigint not null,
  created  bigint not null, -- when the log stored it
  stream   text collate "C" not null,
  revision bigint not null,
  type     text collate "C" not null,
  actor    text collate "C",
  primary key (kind, id, position, created)
) partition by range (created);

-- Months that were detached from the two tables above, and kept in a file (docs/history.md). Operational: a rebuild leaves it
-- alone, and leaves these months out.
create table history_archives (
  month       text collate "C" primary key, -- such as 2026-11
  events      bigint not null, -- rows of history_events
  refs        bigint not null, -- rows of history_references
  first_position bigint, -- of both; null where there was no row
  last_position  bigint,
  sha256      text not null, -- of the file
  file        text not null, -- as it was named when it was written
  archived_at bigint not null
);
