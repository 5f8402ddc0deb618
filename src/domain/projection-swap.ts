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

/** When a version was swapped in last. */
export type ProjectionSwaps = { readonly last: ProjectionSwapEvent['data'] | null };

export const projectionSwapDecider: Decider<ProjectionSwaps, ProjectionSwapEvent> = {
  initial: { last: null },
  evolve: (_swaps, { data }) => ({ last: data }),
};

/** Telling the same swap twice changes nothing: it is told again after a crash. */
export const noteSwap = (
  { last }: ProjectionSwaps,
  swap: ProjectionSwapEvent['data'],
): Decision<ProjectionSwapEvent> =>
  last !== null && last.version === swap.version && last.at === swap.at
    ? accept()
    : accept({ type: 'ProjectionSwapped', data: swap });
