-- Which event types are read from a checkpoint on, by any version that has ever run here (ADR 45). A leader that does not know one of
-- them moves the checkpoint up to such an event and not past it. Rows are added by whoever starts; a later version that gives a type up
-- removes its row by a migration.
create table checkpoint_event_types (
  checkpoint text collate "C" not null,
  event_type text collate "C" not null,
  primary key (checkpoint, event_type)
);
