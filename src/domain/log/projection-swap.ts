import { accept, type Decider, type Decision, type Instant } from '../kernel/decision.ts';

/** An event about a read model itself, not about its content. */
export type ProjectionSwapEvent = {
  readonly type: 'ProjectionSwapped';
  readonly data: {
    readonly projection: string;
    /** The version that is live from now on. */
    readonly version: number;
    readonly previousVersion: number;
    readonly at: Instant;
  };
};

/** An operator decided that a read model skips one event that it could not apply. */
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

/** The most recent swap. */
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
