/** Planned once per connection, always with an index: a plan for a small table would scan it while it grows. */
export const plannedOnce =
  'set plan_cache_mode = force_generic_plan; set enable_seqscan = off; set jit = off';

/** The same where every statement finds rows by their keys. */
export const plannedByKeys = `${plannedOnce}; set enable_hashjoin = off; set enable_mergejoin = off`;
