-- 0040 made narrower ones. A version that came before 0040 answers without these as it did, only slower: it goes through a month where
-- it went to its end. Version edcbc79 does not know the table.
drop index history_events_of_organization;
drop index history_events_of_addon;
drop index history_events_of_user;
