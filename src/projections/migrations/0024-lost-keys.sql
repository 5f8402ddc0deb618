-- Keys of persons that an instance looked for and that were neither there nor destroyed (docs/personal-data.md): every instance and
-- `grantbook doctor` know of them, also after a restart. Not a read model: a rebuild leaves it alone. A row counts until its key is
-- there again, or its person's key is destroyed.
create table lost_keys (
  key_id   text collate "C" primary key,
  subject  text collate "C" not null,
  found_at timestamptz not null default now()
);
