import type { KnownGrant } from '../../domain/access/known-grant.ts';
import type { Instant } from '../../domain/kernel/decision.ts';
import type { CommandDependencies } from '../kernel/dependencies.ts';
import type { GrantCache } from './grant-cache.ts';

export type GrantDependencies = CommandDependencies & {
  readonly cache: GrantCache;
  /** Rotations of one grant within an hour; 0 is no limit. */
  readonly rotationsPerHour: number;
  /** Without it, outages are not taken into account. */
  readonly outages?: Outages;
  /** What the read models know of grants; asked only before a refusal. Without it, only the credential itself is evidence. */
  readonly knownGrants?: (grantIds: readonly string[]) => Promise<ReadonlyMap<string, KnownGrant>>;
};

/** The times in which an instance could not reach the event store or the database, as far as they are known (OP-10). */
export type Outages = {
  /** Milliseconds of outage between two moments, over all instances. @throws when the database cannot be reached */
  within(from: Instant, until: Instant): Promise<number>;
};
