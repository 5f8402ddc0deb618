import type { Instant } from '../../domain/kernel/decision.ts';

/** The times in which an instance could not reach the event store or the database, as far as they are known (OP-10). */
export type Outages = {
  /** Milliseconds of outage between two moments, over all instances. @throws when the database cannot be reached */
  within(from: Instant, until: Instant): Promise<number>;
};
