-- What instances share about browsers and sign-ins. Operational, not read models: a rebuild leaves them alone. A row is worth nothing after
-- its `expires_at` (or `forgotten_at`).

-- Failed attempts to sign in. Keys are MACs under the server's token key, so that no e-mail address and no address of a browser is in here.
create table sign_in_counters (
  key           bytea primary key,
  account       bytea,
  failures      integer not null,
  ages_from     bigint  not null,
  blocked_until bigint  not null,
  forgotten_at  bigint  not null
) with (fillfactor = 70);
create index sign_in_counters_to_forget on sign_in_counters (forgotten_at);
create index sign_in_counters_of_an_account on sign_in_counters (account) where account is not null;

-- What takes effect once, on whichever instance: an interaction of a browser that has ended, a form that was sent (ADR 74), a request under
-- an Idempotency-Key (ADR 88); who sends the same again receives the first response. `token_key_id`: of the key under which `response` is
-- encrypted; empty: under one that only the form contains. Of what has ended without that there are only the first two, and an empty response.
create table done_once (
  id             text collate "C" primary key, -- a digest of the form, or of the account and its key
  expires_at     bigint not null,
  token_key_id   text not null default '',
  fingerprint    bytea,   -- of what was sent
  salt           bytea,   -- with the token key, what ids and secrets are drawn from, so that a repeat after a crash makes the same
  begun_at       bigint,
  running_until  bigint,  -- from then on, a repeat takes over; null: never
  response       bytea,   -- null: not answered yet; empty: not kept, or not any more
  response_until bigint
);
create index done_once_to_forget on done_once (expires_at);
create index done_once_responses_to_forget on done_once (response_until) where response_until is not null;

-- What a sign-in with an OpenID provider needs between two requests: by `state` while the user is at the provider, and by the session's id
-- afterwards. `kept` is encrypted. `sid` and `subject` are keyed digests of the provider's session and user, for its back-channel logout,
-- which sets `ended`. `network`, null for sessions, is a keyed digest of the network from which a browser was sent to a provider: so many
-- rows are kept for each. `forgot …` is what a browser was about to do whose user looks into a mailbox for a link (FX-61).
create table provider_sign_ins (
  id         text collate "C" primary key,
  kept       bytea   not null,
  sid        text collate "C",
  subject    text collate "C",
  network    text collate "C",
  ended      boolean not null default false,
  expires_at bigint  not null
);
create index provider_sign_ins_by_sid on provider_sign_ins (sid) where sid is not null;
create index provider_sign_ins_by_subject on provider_sign_ins (subject) where subject is not null;
create index provider_sign_ins_by_network on provider_sign_ins (network, expires_at) where network is not null;
create index provider_sign_ins_to_forget on provider_sign_ins (expires_at);

-- When sessions were last used, to list the sessions of a user (AM-02). Where one was started, and whether it is valid, is in the log.
-- Rows are removed 30 days after their session expired.
create table session_uses (
  session_id   text collate "C" primary key,
  user_id      text collate "C" not null,
  started_at   bigint not null,
  expires_at   bigint not null,
  last_seen_at bigint not null
);
create index session_uses_by_user on session_uses (user_id, started_at);
create index session_uses_by_expiry on session_uses (expires_at);

-- The signature counters of passkeys, and when each was last used (AM-03). Which passkeys there are is in the log. Rows go with the
-- passkey and with the user. A lost row counts again from where the passkey was added.
create table passkey_uses (
  passkey_id   text collate "C" primary key,
  user_id      text collate "C" not null,
  counter      bigint not null,
  last_used_at bigint not null
);
create index passkey_uses_by_user on passkey_uses (user_id);

-- When grants were made without a question, by session and add-on, as far as that still counts (GR-06); by the clock of this server.
-- Unlogged: it is worth nothing after a minute.
create unlogged table silent_grants (
  key          text collate "C" primary key,
  times        bigint[] not null,
  forgotten_at bigint not null
) with (fillfactor = 50);
create index silent_grants_to_sweep on silent_grants (forgotten_at);
