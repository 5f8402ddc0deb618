import type { ReadNames } from '../projections/names.ts';
import type { EventLookupDependencies } from './event-lookup/dependencies.ts';
import type { EventNeeds } from './read-events.ts';

export type TimelineDependencies = EventNeeds &
  EventLookupDependencies & {
    readonly names: ReadNames;
    readonly now: () => number;
  };
