-- The revision of the newest event of the stream that its worker has seen; null until there is one after this migration.
-- What was seen to fail at an older revision is not counted, and pauses nothing.
alter table signal_streams add column revision bigint;
