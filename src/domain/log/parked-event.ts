import { accept, type Decider, type Decision } from '../kernel/decision.ts';
import type { ParkedEventSkipped, ProjectionEvent } from './projection-swap.ts';

/** Stands for the write side where others have the name of a read model, in stream names and parked events. */
export const writeSide = 'commands';

/** The events that one read model permanently skips. */
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

/** Skipping the same event again changes nothing: after a crash the command runs again. */
export const skipParkedEvent = (
  { ids }: SkippedEvents,
  skipped: ParkedEventSkipped['data'],
): Decision<ProjectionEvent> =>
  ids.has(skipped.eventId) ? accept() : accept({ type: 'ParkedEventSkipped', data: skipped });
