import { projectionSwapDecider, noteSwap, type ProjectionSwapEvent } from '../domain/projection-swap.ts';
import { projectionStream } from '../domain/streams.ts';
import { byOperator } from './by-operator.ts';
import type { CommandContext } from './context.ts';
import { handle } from './handle.ts';
import type { CommandDependencies } from './dependencies.ts';
import { retryUnknownOutcome } from './retry-unknown-outcome.ts';

/** Appends that another version of a read model is live now; only once, however often the same swap is recorded. */
export const makeNoteSwap =
  ({ store }: Pick<CommandDependencies, 'store'>) =>
  async (swap: ProjectionSwapEvent['data'], context?: CommandContext): Promise<void> => {
    await retryUnknownOutcome(() =>
      handle(
        store,
        projectionStream(swap.projection),
        projectionSwapDecider,
        (swaps) => noteSwap(swaps, swap),
        { context, ...byOperator() },
      ),
    );
  };
