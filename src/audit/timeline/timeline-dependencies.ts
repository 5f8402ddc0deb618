import type { ReadNames } from '../../projections/kernel/names.ts';
import type { ReadTold } from '../../signals/read-sets-of-events.ts';
import type { EventLookupDependencies } from '../event-lookup/dependencies.ts';
import type { EventDependencies } from '../read-events.ts';

export type TimelineDependencies = EventDependencies &
  EventLookupDependencies & {
    readonly names: ReadNames;
    readonly told: ReadTold;
    readonly now: () => number;
  };
