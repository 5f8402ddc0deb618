-- When a receiver last asked for a verification: it may ask only so often (SSF 1.0 §8.1.4.2).
alter table signal_streams add column verified_at timestamptz;
