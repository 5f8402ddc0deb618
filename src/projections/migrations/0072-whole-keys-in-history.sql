-- Indexes of history_events by the whole key and the position (HI-04 allows their bytes): a page reads the rows that it shows, in their
-- order, without those of other ids or positions. The writer of the timelines waits while they are built; requests do not.
create index history_events_of_organization on history_events (organization_key, position)
  with (fillfactor = 100) where organization_key is not null;
create index history_events_of_addon on history_events (addon_key, position)
  with (fillfactor = 100) where addon_key is not null;
create index history_events_of_user on history_events (user_key, position)
  with (fillfactor = 100) where user_key is not null;
