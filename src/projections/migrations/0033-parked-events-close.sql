-- Events of the fence and of erasures are parked, too, instead of stopping the projector (ADR 37). `closes` is the subject of the fence
-- that is closed as long as the event is parked; whoever reads the fence reads this with it. Null for the events of other read models.
alter table parked_events add column closes text collate "C";
create index parked_events_closing on parked_events (closes) where closes is not null;
