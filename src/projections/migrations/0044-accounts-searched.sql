-- Operators list and search accounts (AM-11, AM-14, ADR 54). The words of a name as `searchWords` makes them: null where a version before this
-- one wrote the row, until `projections rebuild accounts`. This statement makes them for the names that are there, without what
-- the database's locale does not know.
alter table accounts add column name_words text[];
alter table accounts add column roles_by_claim jsonb not null default '[]';
update accounts
set name_words = array_remove(
  regexp_split_to_array(lower(regexp_replace(normalize(name, NFKD), '[\u0300-\u036f]', '', 'g')), '[^[:alnum:]]+'), '');
create index accounts_by_name_words on accounts using gin (array_to_tsvector(name_words));
create index accounts_by_email on accounts (email);
create index accounts_with_roles on accounts (user_id) where roles <> '[]'::jsonb or roles_by_claim <> '[]'::jsonb;
