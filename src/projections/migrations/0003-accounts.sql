-- Operators list, sort and search accounts (AM-11, AM-14, ADR 54).
create table accounts (
  user_id        text collate "C" primary key,
  email          text collate "C" not null,
  email_verified boolean not null, -- whether an operator or the identity provider vouches for the address (ADR 71)
  name           text not null,
  name_words     text[] not null,  -- the name as it is searched (src/domain/kernel/name.ts)
  address_words  text[] not null default '{}', -- the parts of an address that somebody vouches for
  roles          jsonb not null,
  roles_by_claim jsonb not null default '[]',
  disabled       boolean not null default false,
  disabled_at    bigint,
  created_at     bigint not null,
  updated_at     bigint not null   -- when the name or the e-mail address changed last
);
create index accounts_by_words on accounts using gin ((array_to_tsvector(name_words) || array_to_tsvector(address_words)));
create index accounts_with_roles on accounts (user_id) where roles <> '[]'::jsonb or roles_by_claim <> '[]'::jsonb;
-- Lists sorted by name: the name as it is searched, at most 40 characters of its first four words, because an entry of an index has a limit.
-- The expressions of this and the other indexes `…_by_name` are those of src/projections/kernel/sorted-list.ts.
create index accounts_by_name on accounts (
  (left(coalesce(name_words[1], '') || ' ' || coalesce(name_words[2], '') || ' ' || coalesce(name_words[3], '') || ' ' || coalesce(name_words[4], ''), 40)
   collate "C"), user_id);
create index accounts_by_address on accounts (email collate "C", user_id);
