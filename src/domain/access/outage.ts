import type { Instant } from '../kernel/decision.ts';

/** A time in which an instance could not reach the event store or the database. */
export type Outage = { readonly began: Instant; readonly ended: Instant };

/** Milliseconds between two moments that lie within any of the outages; where outages overlap, the time counts once. */
export const outageWithin = (outages: readonly Outage[], from: Instant, until: Instant): number => {
  let counted = from;
  let total = 0;
  for (const { began, ended } of outages.toSorted((a, b) => a.began - b.began)) {
    const start = Math.max(began, counted);
    const end = Math.min(ended, until);
    if (end <= start) continue;
    total += end - start;
    counted = end;
  }
  return total;
};
