-- When an instance could not reach the event store or this database: that time does not count towards REFRESH_GRACE (ADR 31).
-- Milliseconds since the Unix epoch, by the clock that all instances share. Rows are worth nothing after a day and go then.
create table outages (
  id uuid primary key,
  began bigint not null,
  ended bigint not null
);
