-- Whether this database takes writes, as each instance tried it last (ADR 39). Rows are removed a day later. Not a read model.
create table write_probes (
  instance  text collate "C" primary key,
  probed_at timestamptz not null
);
