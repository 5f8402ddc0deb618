-- Operators search add-ons by the starts of words of the name (AM-14). `words` is the name as it is searched
-- (src/domain/search-words.ts); null: written by an older version, found again after `projections rebuild addons`.
alter table addons add column words text[] collate "C";
create index addons_by_word on addons using gin (array_to_tsvector(words));
-- The same for names in plain letters; others are found after a rebuild.
update addons set words = array_remove(regexp_split_to_array(lower(name), '[^[:alnum:]]+'), '');
