-- Where in the log to look for what happened to an organization, an add-on, a user or a grant (ADR 32; ADR 17 for why). References only: what
-- is shown is read from the log. Kept by a projector of its own (checkpoint `timelines`), so that nothing that answers tokens waits for it.
-- Records (profiles, reservations, access rights) are not in it: they are found by their streams' names.
-- Positions: commit and prepare are the same for every event that the gRPC interface appends, so one number holds both. Partitions are
-- months of UTC by `created`, made by the writer (`history_events_2026_11`).

-- Each grant's and each session's stream, with what only its first event says: whose it is. Never dropped.
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
  type             smallint not null, -- src/projections/history/history-types.ts
  actor            text collate "C", -- '' is the stream's own add-on; null: the event does not say it
  primary key (stream, position, created)
) partition by range (created);
-- By the whole key and the position (HI-04 allows their bytes): a page reads the rows that it shows, in their order, without those of other
-- ids or positions. Full pages: nothing is added between the rows of a month that is over.
create index history_events_of_organization on history_events (organization_key, position)
  with (fillfactor = 100) where organization_key is not null;
create index history_events_of_addon on history_events (addon_key, position)
  with (fillfactor = 100) where addon_key is not null;
create index history_events_of_user on history_events (user_key, position)
  with (fillfactor = 100) where user_key is not null;
-- Everything that a person did, whomever it concerned. What an add-on does with its own grants is not in it: a refresh costs nothing.
create index history_events_of_actor on history_events (actor, position) where actor <> '';

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
create index history_references_of_actor on history_references (actor, position) where actor <> '';
-- What partners changed about an add-on (PG-06): a few rows, without those of everybody who allowed it. The types are those of
-- src/projections/organizations/attention.ts.
create index history_references_of_changes on history_references (id, created)
  where kind = 'addon' and type in ('AddonChangeApproved', 'AddonSecretAdded', 'AddonSecretRemoved', 'SignalStreamCreated', 'SignalStreamChanged');

-- Months that were dropped, of which the log has all: a version that is built has them.
create table history_dropped (
  month          text collate "C" primary key, -- such as 2026-11
  first_position bigint, -- of both; null where there was no row
  last_position  bigint,
  dropped_at     bigint not null
);

-- Where in the log there is something of an organization (or of a user, of consents): the streams that bear its id in their names
-- (activations, consents), and single events, the questions about it. Whoever tells an organization's history reads these, and not the log
-- (HI-01, ADR 34). Rows never change and are never dropped; they and those of `record_owners` follow from the log, up to the checkpoint
-- `owned-streams`.
create table streams_by_owner (
  owner_id         text collate "C" not null,
  place            text collate "C" not null,  -- a stream, or stream@revision of one event of a stream that is somebody else's
  commit_position  numeric(20, 0) not null,    -- of the first event that was seen there
  prepare_position numeric(20, 0) not null,
  primary key (owner_id, place)
);

-- Which records an organization had when, and whose they were: one row where a record's stream begins, and one for each event that
-- changes whether the record is there or whom it belongs to. Auditors' questions read these rows instead of every record's stream.
create table record_owners (
  organization_id text collate "C" not null,
  category        text collate "C" not null,  -- the record's stream is category-organization_id.id
  id              text collate "C" not null,
  revision        integer not null,
  position        bigint not null,            -- commit and prepare are the same
  created         bigint not null,            -- when the log stored the event
  present         boolean not null,
  owner           text collate "C",           -- of a profile its user, of any other record its profile
  primary key (organization_id, category, id, revision)
);

-- Answers to auditors that may take long, while an instance computes them and for some minutes afterwards: all instances give the one answer
-- (FX-58). Unlogged, because it may be emptied at any time. `id`: a digest of the question.
create unlogged table prepared_answers (
  id           text collate "C" primary key,
  asked_by     text collate "C" not null,   -- had it begun
  askers       text[] not null default '{}', -- whose question is in the log
  holder       uuid not null,               -- one computation
  held_until   bigint not null,             -- from then on, another one takes over
  expires_at   bigint not null,             -- without an answer: nobody waits any more
  events       bigint not null default 0,   -- read so far
  up_to        bigint,                      -- the time of the last of them; null: none
  token_key_id text,                        -- under which the answer is encrypted
  answer       bytea                        -- null: not yet
);
create index prepared_answers_by_end on prepared_answers (expires_at);
