/**
 * A named statement is planned once per connection, and always uses an index: a plan made while a table was small would
 * scan it completely, and would be kept while it grows.
 */
export const plannedOnce =
  'set plan_cache_mode = force_generic_plan; set enable_seqscan = off; set jit = off';

/** The same where every statement finds rows by their keys. */
export const plannedByKeys = `${plannedOnce}; set enable_hashjoin = off; set enable_mergejoin = off`;
