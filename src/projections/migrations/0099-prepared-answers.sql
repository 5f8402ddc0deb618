-- Answers to auditors that may take long, while an instance computes them and for some minutes afterwards: all instances give the one answer
-- (FX-58). Unlogged, because it may be emptied at any time. `id`: a digest of the question.
create unlogged table prepared_answers (
  id           text collate "C" primary key,
  asked_by     text collate "C" not null,   -- had it begun
  askers       text[] not null default '{}', -- whose question is in the log
  holder       uuid not null,               -- one computation
  held_until   bigint not null,             -- milliseconds since the Unix epoch, as the next: from then on, another one takes over
  expires_at   bigint not null,             -- without an answer: nobody waits any more
  events       bigint not null default 0,   -- read so far
  up_to        bigint,                      -- the time of the last of them; null: none
  token_key_id text,                        -- under which the answer is encrypted
  answer       bytea                        -- null: not yet
);
create index prepared_answers_by_end on prepared_answers (expires_at);
