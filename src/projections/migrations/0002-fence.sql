-- Whether something that tokens hang on is open. Two callers write it with the same monotone statement; a lower
-- revision never wins. Never lowered, never truncated by a rebuild.
create table fence (
  subject  text collate "C" primary key,
  revision bigint  not null,
  epoch    integer not null,
  open     boolean not null,
  -- When the last credential ends that a closed row of one grant or one access token could refuse: an hour later the row goes
  -- (docs/reference/retention.md). Null where the log has not been asked yet, and of everything that stays permanently.
  ends     bigint
) with (fillfactor = 80);
create index fence_ending on fence (ends) where ends is not null;
create index fence_undated on fence (subject)
  where ends is null and not open and (subject like 'grant:%' or subject like 'access:%');
