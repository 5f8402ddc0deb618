import {
  projectionSwapDecider,
  noteSwap,
  type ProjectionSwapEvent,
} from '../../domain/log/projection-swap.ts';
import { projectionStream } from '../../domain/streams.ts';
import { byOperator } from '../kernel/by-operator.ts';
import type { CommandContext } from '../kernel/context.ts';
import type { CommandDependencies } from '../kernel/dependencies.ts';
import { handleRetrying } from '../kernel/handle-retrying.ts';

/** Appends that another version of a read model is live now; only once, however often the same swap is recorded. */
export const makeNoteSwap =
  ({ store }: Pick<CommandDependencies, 'store'>) =>
  async (swap: ProjectionSwapEvent['data'], context?: CommandContext): Promise<void> => {
    await handleRetrying(
      store,
      projectionStream(swap.projection),
      projectionSwapDecider,
      (swaps) => noteSwap(swaps, swap),
      { context, ...byOperator() },
    );
  };
