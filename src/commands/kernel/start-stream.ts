import type { Decider, Decision } from '../../domain/kernel/decision.ts';
import type { DomainEvent } from '../../domain/events.ts';
import type { StreamName } from '../../domain/streams.ts';
import type { EventStore } from '../../eventstore/event-store.ts';
import { handle, type HandleOptions, unseen } from './handle.ts';
import { retryUnknownOutcome } from './retry-unknown-outcome.ts';

/** Begins the stream of an id that was just made, without a read. A refused second attempt, or repeat of a request that is made once, means that the first succeeded. */
export const startStream = <S, E extends DomainEvent>(
  store: EventStore,
  stream: StreamName,
  decider: Decider<S, E>,
  decide: (state: S) => Decision<E, string>,
  options: Pick<HandleOptions<S, E>, 'context' | 'metadata'>,
): Promise<void> =>
  retryUnknownOutcome(async (attempt) => {
    const { refusal } = await handle(store, stream, decider, decide, { ...options, assume: unseen(decider) });
    if (refusal && attempt === 'first' && !options.context?.once)
      throw new Error(`the new stream ${stream} is taken: ${refusal}`);
  });
