import type { ReadNames } from '../projections/names.ts';
import type { ConcernedDependencies } from './concerned/dependencies.ts';
import type { EventNeeds } from './read-events.ts';

export type TimelineDependencies = EventNeeds &
  ConcernedDependencies & {
    readonly names: ReadNames;
    readonly now: () => number;
  };
