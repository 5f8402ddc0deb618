-- Keys of persons that were put back after their person had been given another one (docs/personal-data.md): what they sealed is read
-- with them, nothing new is sealed under them. They end with the key of their person: also where an older instance, which does not
-- know this table, destroys that one.
create table earlier_subject_keys (
  key_id        text collate "C" primary key,
  subject       text collate "C" not null,
  master_key_id text collate "C" not null,
  wrapped_key   bytea not null,
  created_at    timestamptz not null default now()
);
create index earlier_subject_keys_by_subject on earlier_subject_keys (subject, key_id);

create view every_subject_key as
  select subject, key_id, master_key_id, wrapped_key, created_at, false as earlier from subject_keys
  union all
  select subject, key_id, master_key_id, wrapped_key, created_at, true from earlier_subject_keys;

create function end_earlier_subject_keys() returns trigger language plpgsql as $$
begin
  delete from earlier_subject_keys where subject = new.subject;
  return null;
end $$;

create trigger end_earlier_subject_keys after insert or update on subject_keys
  for each row when (new.wrapped_key is null)
  execute function end_earlier_subject_keys();
