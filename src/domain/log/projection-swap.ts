import { accept, type Decider, type Decision } from '../kernel/decision.ts';
import type { EventsIn } from '../describe-event.ts';
import type { projectionEvents } from './events.ts';

export type ProjectionEvent = EventsIn<typeof projectionEvents>;
export type ProjectionSwapEvent = Extract<ProjectionEvent, { readonly type: 'ProjectionSwapped' }>;
export type ParkedEventSkipped = Extract<ProjectionEvent, { readonly type: 'ParkedEventSkipped' }>;

export type ProjectionSwaps = { readonly last: ProjectionSwapEvent['data'] | null };

export const projectionSwapDecider: Decider<ProjectionSwaps, ProjectionEvent> = {
  initial: { last: null },
  evolve: (swaps, event) => (event.type === 'ProjectionSwapped' ? { last: event.data } : swaps),
};

/** Recording the same swap twice changes nothing: after a crash it is recorded again. */
export const noteSwap = (
  { last }: ProjectionSwaps,
  swap: ProjectionSwapEvent['data'],
): Decision<ProjectionSwapEvent> =>
  last !== null && last.version === swap.version && last.at === swap.at
    ? accept()
    : accept({ type: 'ProjectionSwapped', data: swap });
