import { setTimeout as delay } from 'node:timers/promises';
import type { EventType } from '../../domain/events.ts';
import type { EventStore, LogSubscriptions, EventReference, Position } from '../../eventstore/event-store.ts';
import { lastPosition } from './log-messages.ts';
import type { Logger } from '../database/pipelined-reader.ts';

export type WatchDependencies = {
  readonly log: LogSubscriptions & Pick<EventStore, 'head'>;
  readonly eventTypes: readonly EventType[];
  /**
   * Called for each event from now on, on every instance, also for those that cannot be decoded. Nothing is stored:
   * after a restart it begins with the events that come then.
   */
  readonly heard: (event: Pick<EventReference, 'stream'>) => void;
  /** Called once: no later event is missed. */
  readonly began?: () => void;
  readonly logger: Logger;
};

/** For caches whose content others may change. Callers must accept delays: the log may not be available. */
export const watchEvents = (dependencies: WatchDependencies): { readonly stop: () => Promise<void> } => {
  const stopping = new AbortController();
  const { signal } = stopping;
  const { eventTypes } = dependencies;
  const run = async () => {
    let after: Position | null | undefined;
    while (!signal.aborted) {
      try {
        if (after === undefined) {
          after = await dependencies.log.head();
          dependencies.began?.();
        }
        for await (const message of dependencies.log.subscribe({
          after,
          eventTypes,
          unreadable: 'deliver',
          signal,
        })) {
          if (message.kind === 'event' || message.kind === 'unreadable') dependencies.heard(message.event);
          after = lastPosition([message]) ?? after;
        }
      } catch (error) {
        dependencies.logger.warn({ err: error }, 'change subscription failed; retrying');
      }
      if (!signal.aborted) await delay(1_000, undefined, { signal }).catch(() => undefined);
    }
  };
  const running = run();
  return {
    async stop() {
      stopping.abort();
      await running;
    },
  };
};
