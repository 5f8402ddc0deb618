import { accept, type Decider, type Decision, type Instant } from './decision.ts';

/** What happens to a read model itself, not in it. */
export type ProjectionSwapEvent = {
  readonly type: 'ProjectionSwapped';
  readonly data: {
    readonly projection: string;
    /** What is read from now on. */
    readonly version: number;
    readonly previousVersion: number;
    readonly at: Instant;
  };
};

/** An operator has decided that a read model does without one event that it could not take. */
export type ParkedEventSkipped = {
  readonly type: 'ParkedEventSkipped';
  readonly data: {
    readonly projection: string;
    /** The stream that the event is in. */
    readonly key: string;
    readonly eventId: string;
    readonly at: Instant;
  };
};

/** Everything in a read model's own stream. */
export type ProjectionEvent = ProjectionSwapEvent | ParkedEventSkipped;

/** When a version was swapped in last. */
export type ProjectionSwaps = { readonly last: ProjectionSwapEvent['data'] | null };

export const projectionSwapDecider: Decider<ProjectionSwaps, ProjectionEvent> = {
  initial: { last: null },
  evolve: (swaps, event) => (event.type === 'ProjectionSwapped' ? { last: event.data } : swaps),
};

/** Telling the same swap twice changes nothing: it is told again after a crash. */
export const noteSwap = (
  { last }: ProjectionSwaps,
  swap: ProjectionSwapEvent['data'],
): Decision<ProjectionSwapEvent> =>
  last !== null && last.version === swap.version && last.at === swap.at
    ? accept()
    : accept({ type: 'ProjectionSwapped', data: swap });
