import type { Instant } from '../domain/decision.ts';

/** What is known of the times in which an instance could not reach the event store or the database (OP-10). */
export type Outages = {
  /** Milliseconds of them between two moments, of all instances. @throws when the database cannot be asked now */
  within(from: Instant, until: Instant): Promise<number>;
};
