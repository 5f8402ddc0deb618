-- Calls that append to several streams, until they have ended: one whose process was killed is completed by any instance (FX-52).
create table unfinished_calls (
  id       bigint generated always as identity primary key,
  command  text collate "C" not null,
  request  jsonb not null,
  context  jsonb,  -- of its events; null: none
  begun_at timestamptz not null default clock_timestamp() -- or when it was last taken to be completed
);
