-- Whether a leader of an older version passes over events of the type because no newer instance led past one, and since when tables may
-- lack such events (ADR 77).
alter table checkpoint_event_types
  add column passing boolean not null default false,
  add column missing_since timestamptz;
