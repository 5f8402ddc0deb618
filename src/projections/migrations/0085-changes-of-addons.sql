-- What partners changed about an add-on (PG-06): a few rows, without those of everybody who allowed it. The types are those of
-- src/projections/organizations/attention.ts.
create index history_references_of_changes on history_references (id, created)
  where kind = 'addon' and type in ('AddonChangeApproved', 'AddonSecretAdded', 'AddonSecretRemoved', 'SignalStreamCreated', 'SignalStreamChanged');
