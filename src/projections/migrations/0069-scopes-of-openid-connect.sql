-- What a grant or a consent holds of `openid`, `profile` and `email` (docs/adr/0076): `sub` stands for `openid` alone, `profile` and
-- `email` for themselves. Null: `openid` in `scopes` is all three, as in rows of versions that do not know this column.
alter table grants add column identity jsonb;
alter table consents add column identity jsonb;

-- When the name or the e-mail address changed last. Null: not known, because the row is of a version that did not note it.
alter table accounts add column updated_at bigint;
