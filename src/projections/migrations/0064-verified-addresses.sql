-- Whether an operator or the identity provider vouches for the address (ADR 71). Null: an event of an earlier version, which does not
-- say so; then the log decides.
alter table accounts add column email_verified boolean;
