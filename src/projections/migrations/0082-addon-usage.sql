-- What add-ons did day by day, for their publishers (AP-10, ADR 93): counted by the instances, not built from the log. A row for each
-- thing that happened on a day.
create table addon_usage (
  addon_id   text collate "C" not null,
  day        bigint not null,            -- its first moment, UTC, milliseconds since the Unix epoch
  kind       text collate "C" not null,  -- token, list, refusal, limit
  name       text collate "C" not null,  -- the list, the policy, or the endpoint and the reason
  count      bigint not null,
  last_at    bigint not null,
  request_id text not null,              -- of the newest one
  primary key (addon_id, day, kind, name)
);
create index addon_usage_by_day on addon_usage (day);
