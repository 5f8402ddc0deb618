-- When the last credential ends that a closed row of one grant or one access token could refuse, in milliseconds since the Unix epoch:
-- an hour later the row goes (docs/retention.md). Null where the log has not been asked yet, and of everything that stays for ever. Never
-- written by a version that does not know it; such rows are dated later.
alter table fence add column ends bigint;
create index fence_ending on fence (ends) where ends is not null;
create index fence_undated on fence (subject)
  where ends is null and not open and (subject like 'grant:%' or subject like 'access:%');
