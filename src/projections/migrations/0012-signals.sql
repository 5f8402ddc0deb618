-- What add-ons are notified of (Shared Signals). No read models: a rebuild leaves these tables alone, and their worker has a checkpoint of its
-- own. Without them it reads the log again and offers the same SETs, with the same jti.

-- Each SSF stream as its worker has seen it in the log; one that was deleted stays for a while, marked.
create table signal_streams (
  stream_id            text collate "C" primary key,
  addon_id             text collate "C" not null,
  -- Of the newest event of the stream that its worker has seen. What was seen to fail at an older revision is not counted, and pauses
  -- nothing. Null: none yet.
  revision             bigint,
  method               text not null check (method in ('poll', 'push')),
  endpoint_url         text,
  authorization_header jsonb, -- of pushes, encrypted as in the log
  status               text not null check (status in ('enabled', 'paused', 'disabled', 'deleted')),
  reason               text,
  events_requested     text[] not null,
  delivered            bigint not null default 0,
  last_delivered_at    timestamptz,
  failing_since        timestamptz,
  last_error           text,
  last_error_at        timestamptz,
  -- When a receiver last asked for a verification: it may ask only so often (SSF 1.0 §8.1.4.2).
  verified_at          timestamptz,
  deleted_at           timestamptz
);
create index signal_streams_of_addon on signal_streams (addon_id);

-- Each SET of each stream. It is offered until it is no longer waiting: acknowledged, or past its retention.
create table signal_sets (
  stream_id        text collate "C" not null,
  jti              text collate "C" not null,
  -- Whom it is about: within a queue, SETs are offered in the order of the log, one at a time.
  queue            text collate "C" not null,
  commit_position  bigint not null,
  prepare_position bigint not null,
  part             integer not null,     -- the place among the SETs of the same event
  at               timestamptz not null, -- when the event was stored
  claims           jsonb not null,
  waiting          boolean not null,
  -- The first of its queue that waits: the one that is offered. Changes only under a lock of the stream's row.
  head             boolean not null,
  -- Pushes of it that have failed, since when without a stop of the stream in between, and when the next one is due.
  attempts         integer not null default 0,
  failing_since    timestamptz,
  due_at           timestamptz,
  last_error       text,
  acknowledged_at  timestamptz,
  receiver_error   text, -- what the receiver said in place of an acknowledgement (setErrs)
  primary key (stream_id, jti)
);
create index signal_sets_waiting on signal_sets (stream_id, queue, commit_position, prepare_position, part) where waiting;
-- What one organization or user was notified of.
create index signal_sets_of_queue on signal_sets (stream_id, queue);
create unique index signal_sets_one_head on signal_sets (stream_id, queue) where head;
create index signal_sets_offered on signal_sets (stream_id, commit_position, prepare_position, part) where head;
create index signal_sets_by_age on signal_sets (at);
-- What was sent about one event, for the timelines.
create index signal_sets_of_event on signal_sets (commit_position, prepare_position);

-- What the worker must know of the past, in the order of the log: whose a grant is, which add-ons ever held a grant of a user, and which
-- epochs have ended.

-- A grant that has not ended. A code that was never redeemed is forgotten after a day.
create table signal_grants (
  grant_id        text collate "C" primary key,
  addon_id        text not null,
  organization_id text, -- null for a grant of the user's own records
  epoch           integer not null,
  user_id         text not null,
  redeemed        boolean not null,
  issued_at       timestamptz not null
);
create index signal_grants_unredeemed on signal_grants (issued_at) where not redeemed;

-- Until the user is erased.
create table signal_holders (
  user_id  text collate "C" not null,
  addon_id text collate "C" not null,
  own      boolean not null, -- one of its grants was for the user's own records; the others are organizations' that the user allowed
  primary key (user_id, addon_id)
);

-- The last epoch that ended of each organization's add-on: the SET about its deactivation is about all that was granted under it, so no other
-- follows, whoever revokes it next.
create table signal_deactivations (
  organization_id text collate "C" not null,
  addon_id        text collate "C" not null,
  epoch           integer not null,
  primary key (organization_id, addon_id)
);

-- Who is notified that records changed (ADR 87): a stream that requests it and is not disabled, since which commit position, and when its
-- lists were looked at last.
create table signal_record_streams (
  stream_id text collate "C" primary key,
  since     bigint not null,
  looked_at timestamptz
);
-- What such a stream was notified of last, by queue: that of one list and subject.
create table signal_records_told (
  stream_id text collate "C" not null,
  queue     text collate "C" not null,
  position  bigint not null,
  state     text not null, -- of what changes a list without a position of its own
  primary key (stream_id, queue)
);
