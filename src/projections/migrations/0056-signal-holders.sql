-- What the worker of signals must know of the past, in the order of the log: whose a grant is, and which add-ons ever
-- held a grant of a user. No read model: a rebuild leaves these tables alone. Without them and their checkpoint, the
-- worker reads the log again.

-- A grant that has not ended. A code that was never redeemed is forgotten after a day.
create table signal_grants (
  grant_id text primary key,
  addon_id text not null,
  -- Null for a grant of the user's own records.
  organization_id text,
  user_id text not null,
  redeemed boolean not null,
  issued_at timestamptz not null
);
create index signal_grants_unredeemed on signal_grants (issued_at) where not redeemed;

-- Until the user is erased.
create table signal_holders (
  user_id text not null,
  addon_id text not null,
  -- One of its grants was for the user's own records; the others are organizations' grants that the user allowed.
  own boolean not null,
  primary key (user_id, addon_id)
);
