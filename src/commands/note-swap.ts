import { projectionSwapDecider, noteSwap } from '../domain/projection-swap.ts';
import { projectionStream } from '../domain/streams.ts';
import type { Commands } from './commands.ts';
import { handle } from './handle.ts';
import type { CommandDependencies } from './dependencies.ts';
import { retryUnknownOutcome } from './retry-unknown-outcome.ts';

/** Appends that another version of a read model is read now; once, however often the same swap is told. */
export const makeNoteSwap =
  ({ store }: Pick<CommandDependencies, 'store'>): Commands['noteSwap'] =>
  async (swap) => {
    await retryUnknownOutcome(() =>
      handle(
        store,
        projectionStream(swap.projection),
        projectionSwapDecider,
        (swaps) => noteSwap(swaps, swap),
        { metadata: { actor: 'operator' } },
      ),
    );
  };
