-- Which signed heads of the log were deposited where, and which are still to be. A row for each head and place.
create table head_deposits (
  head_revision bigint not null,
  target        text not null check (target in ('directory', 'topic', 'timestamp')),
  size          bigint not null,
  signed_at     timestamptz not null,
  deposited_at  timestamptz,
  attempts      integer not null default 0,
  last_error    text,
  primary key (head_revision, target)
);
create index head_deposits_waiting on head_deposits (target, head_revision) where deposited_at is null;
