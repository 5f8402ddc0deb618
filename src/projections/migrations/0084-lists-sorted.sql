-- Operators sort lists by name and by address. The name as it is searched, at most 40 characters of its first four words, because an entry
-- of an index has a limit. The expressions are those of src/projections/kernel/sorted-list.ts.
create index accounts_by_name on accounts (
  (left(coalesce(name_words[1], '') || ' ' || coalesce(name_words[2], '') || ' ' || coalesce(name_words[3], '') || ' ' || coalesce(name_words[4], ''), 40)
   collate "C"), user_id);
create index accounts_by_address on accounts (email collate "C", user_id);
create index addons_by_name on addons (
  (left(coalesce(words[1], '') || ' ' || coalesce(words[2], '') || ' ' || coalesce(words[3], '') || ' ' || coalesce(words[4], ''), 40)
   collate "C"), addon_id);
create index organizations_by_name on organizations (
  (left(coalesce(words[1], '') || ' ' || coalesce(words[2], '') || ' ' || coalesce(words[3], '') || ' ' || coalesce(words[4], ''), 40)
   collate "C"), organization_id);
create index publishers_by_name on publishers (
  (left(coalesce(words[1], '') || ' ' || coalesce(words[2], '') || ' ' || coalesce(words[3], '') || ' ' || coalesce(words[4], ''), 40)
   collate "C"), publisher_id);
