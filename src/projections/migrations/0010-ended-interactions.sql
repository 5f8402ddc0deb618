-- Forms of a sign-in or an approval that were sent: none of them works a second time, on whichever instance. Operational, not a
-- read model: a rebuild leaves them alone. `expires_at` is in milliseconds since the Unix epoch; after it the row is worth nothing.
create table ended_interactions (
  id         text   primary key,
  expires_at bigint not null
);
create index ended_interactions_to_forget on ended_interactions (expires_at);
