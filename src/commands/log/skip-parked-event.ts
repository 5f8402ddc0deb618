import { fold } from '../../domain/kernel/decision.ts';
import { skipParkedEvent, skippedEventsDecider } from '../../domain/log/parked-event.ts';
import type { ProjectionEvent, ParkedEventSkipped } from '../../domain/log/projection-swap.ts';
import { projectionStream } from '../../domain/streams.ts';
import type { EventStore } from '../../eventstore/event-store.ts';
import { byOperator } from '../kernel/by-operator.ts';
import type { CommandContext } from '../kernel/context.ts';
import type { CommandDependencies } from '../kernel/dependencies.ts';
import { handleRetrying } from '../kernel/handle-retrying.ts';

/** Appends that a read model skips an event; only once, however often it is called. Applies nothing. */
export const makeSkipParkedEvent =
  ({ store, now }: Pick<CommandDependencies, 'store' | 'now'>) =>
  async (
    { reason, ...skipped }: Omit<ParkedEventSkipped['data'], 'at'> & { readonly reason?: string },
    context?: CommandContext,
  ): Promise<void> => {
    await handleRetrying(
      store,
      projectionStream(skipped.projection),
      skippedEventsDecider,
      (already) => skipParkedEvent(already, { ...skipped, at: now() }),
      { context, ...byOperator(reason) },
    );
  };

/** The events that each read model skips, from its own stream. */
export const readSkippedEvents =
  (store: Pick<EventStore, 'read'>) =>
  async (projection: string): Promise<ReadonlySet<string>> => {
    const { events } = await store.read(projectionStream(projection));
    return fold(
      skippedEventsDecider,
      events.map(({ event }) => event as ProjectionEvent),
    ).ids;
  };
