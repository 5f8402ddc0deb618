-- Which records an organization had when, and whose they were: one row where a record's stream begins, and one for each event that
-- changes whether the record is there or whom it belongs to. Auditors' questions read these rows instead of every record's stream.
-- The rows follow from the log, up to the checkpoint `owned-streams`, which is also that of `streams_by_owner` from now on: records have
-- no rows there any more. Those of earlier versions, with the checkpoint `streams`, stay while such a version may run.
create table record_owners (
  organization_id text collate "C" not null,
  category        text collate "C" not null,  -- the record's stream is category-organization_id.id
  id              text collate "C" not null,
  revision        integer not null,
  position        bigint not null,            -- commit and prepare are the same
  created         bigint not null,            -- when the log stored the event, milliseconds since the Unix epoch
  present         boolean not null,
  owner           text collate "C",           -- of a profile its user, of any other record its profile
  primary key (organization_id, category, id, revision)
);
