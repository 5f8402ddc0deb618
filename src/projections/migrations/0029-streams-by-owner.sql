-- Where in the log there is something of an organization (or of a user, of consents): the streams that bear its id in their names
-- (activations, consents, records), and single events, the questions about it. Whoever tells an organization's history reads these,
-- and not the log (HI-01, ADR 34). Rows never change and are never archived; all of it follows from the log, up to the checkpoint `streams`.
create table streams_by_owner (
  owner_id         text collate "C" not null,
  place            text collate "C" not null,  -- a stream, or stream@revision of one event of a stream that is somebody else's
  commit_position  numeric(20, 0) not null,    -- of the first event that was seen there
  prepare_position numeric(20, 0) not null,
  primary key (owner_id, place)
);
