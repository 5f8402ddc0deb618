-- What a sign-in with an OpenID provider needs between two requests, on whichever instance: by `state` while the user is at the
-- provider, and by the session's id afterwards. `kept` is encrypted. `sid` and `subject` are keyed digests of the provider's session and
-- user, for its back-channel logout, which sets `ended`. Operational, not a read model: a rebuild leaves them alone. `expires_at` is in
-- milliseconds since the Unix epoch; after it the row is worth nothing.
create table provider_sign_ins (
  id         text    primary key,
  kept       bytea   not null,
  sid        text,
  subject    text,
  ended      boolean not null default false,
  expires_at bigint  not null
);
create index provider_sign_ins_by_sid on provider_sign_ins (sid) where sid is not null;
create index provider_sign_ins_by_subject on provider_sign_ins (subject) where subject is not null;
create index provider_sign_ins_to_forget on provider_sign_ins (expires_at);
