import { accept, type Decider, type Decision } from './decision.ts';
import type { ParkedEventSkipped, ProjectionEvent } from './projection-swap.ts';

/** Stands for the write side where read models have their names: of streams, and of what is parked. */
export const writeSide = 'commands';

/** What one read model leaves out for good. */
export type SkippedEvents = { readonly ids: ReadonlySet<string> };

export const skippedEventsDecider: Decider<SkippedEvents, ProjectionEvent> = {
  initial: { ids: new Set() },
  evolve(skipped, event) {
    switch (event.type) {
      case 'ParkedEventSkipped':
        return { ids: new Set([...skipped.ids, event.data.eventId]) };
      case 'ProjectionSwapped':
        return skipped;
    }
  },
};

/** Skipping the same event again changes nothing: it is asked for again after a crash. */
export const skipParkedEvent = (
  { ids }: SkippedEvents,
  skipped: ParkedEventSkipped['data'],
): Decision<ProjectionEvent> =>
  ids.has(skipped.eventId) ? accept() : accept({ type: 'ParkedEventSkipped', data: skipped });
