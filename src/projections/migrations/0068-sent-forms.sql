-- A form that is sent twice takes effect once, and its sender receives the first response again. `fingerprint`: of what was sent, until
-- the first response is known; null: this id was used. The response is a row of its own (`answer …`), with a short life, encrypted under
-- a key that only the form contains.
alter table ended_interactions add column fingerprint bytea, add column response bytea;
