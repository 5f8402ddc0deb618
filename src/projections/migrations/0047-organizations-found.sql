-- Organizations that are renamed, have an external id, and are closed (ADR 56). `words` is the name as it is searched
-- (src/domain/search-words.ts); null: written by an older version, found again after `projections rebuild organizations`.
alter table organizations add column external_id text collate "C";
alter table organizations add column closed_at bigint; -- milliseconds since the Unix epoch; null: open
alter table organizations add column words text[] collate "C";
create index organizations_by_external_id on organizations (external_id) where external_id is not null;
create index organizations_by_word on organizations using gin (array_to_tsvector(words));
-- The same for names in plain letters; others are found after a rebuild.
update organizations set words = array_remove(regexp_split_to_array(lower(name), '[^[:alnum:]]+'), '');
