-- 0072 made those of the whole keys. A version before 0072 answers without these as it did, only slower: it goes through a month where
-- it went to its end.
drop index history_events_by_organization;
drop index history_events_by_addon;
drop index history_events_by_user;
