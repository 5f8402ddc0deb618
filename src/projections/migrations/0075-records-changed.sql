-- Who is notified that records changed (ADR 87). No read models, as the other tables of signals.

-- A stream that requests it and is not disabled: since which commit position, and when its lists were looked at last.
create table signal_record_streams (
  stream_id text primary key,
  since bigint not null,
  looked_at timestamptz
);
-- What such a stream was notified of last, by queue: that of one list and subject.
create table signal_records_told (
  stream_id text not null,
  queue text not null,
  position bigint not null,
  state text not null, -- of what changes a list without a position of its own
  primary key (stream_id, queue)
);
create index own_grants_of_addon on grants (addon_id) where status <> 'ended' and organization_id is null;
