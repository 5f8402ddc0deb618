-- What add-ons are told (Shared Signals). No read model: a rebuild leaves these tables alone, and their worker has a
-- checkpoint of its own. Without them it reads the log again and offers the same SETs, with the same jti.

-- Each SSF stream as its worker has seen it in the log; one that was deleted stays for a while, marked.
create table signal_streams (
  stream_id text primary key,
  addon_id text not null,
  method text not null check (method in ('poll', 'push')),
  endpoint_url text,
  -- The Authorization header of pushes, encrypted as in the log.
  authorization_header jsonb,
  status text not null check (status in ('enabled', 'paused', 'disabled', 'deleted')),
  reason text,
  events_requested text[] not null,
  delivered bigint not null default 0,
  last_delivered_at timestamptz,
  failing_since timestamptz,
  last_error text,
  last_error_at timestamptz,
  deleted_at timestamptz
);
create index signal_streams_of_addon on signal_streams (addon_id);

-- Each SET of each stream. It is offered until it is no longer waiting: acknowledged, or past its retention.
create table signal_sets (
  stream_id text not null,
  jti text not null,
  -- Whom it is about: within a queue, SETs are offered in the order of the log, one at a time.
  queue text not null,
  commit_position bigint not null,
  prepare_position bigint not null,
  -- The place among the SETs of the same event.
  part integer not null,
  -- When the event was stored.
  at timestamptz not null,
  claims jsonb not null,
  waiting boolean not null,
  -- The first of its queue that waits: the one that is offered. Changes only under a lock of the stream's row.
  head boolean not null,
  -- Pushes of it that have failed, since when without a stop of the stream in between, and when the next one is due.
  attempts integer not null default 0,
  failing_since timestamptz,
  due_at timestamptz,
  last_error text,
  acknowledged_at timestamptz,
  -- What the receiver said in place of an acknowledgement (setErrs).
  receiver_error text,
  primary key (stream_id, jti)
);
create index signal_sets_waiting on signal_sets (stream_id, queue, commit_position, prepare_position, part) where waiting;
-- What one organization or user was told.
create index signal_sets_of_queue on signal_sets (stream_id, queue);
create unique index signal_sets_one_head on signal_sets (stream_id, queue) where head;
create index signal_sets_offered on signal_sets (stream_id, commit_position, prepare_position, part) where head;
create index signal_sets_by_age on signal_sets (at);
-- What was told about one event, for the timelines.
create index signal_sets_of_event on signal_sets (commit_position, prepare_position);
