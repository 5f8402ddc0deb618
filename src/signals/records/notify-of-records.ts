import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from '../../projections/database/pipelined-reader.ts';
import { lookAtLists, type LookDependencies } from './look-at-lists.ts';

type Dependencies = LookDependencies & {
  readonly logger: Logger;
  /** Until then the fence may not know all that has ended. */
  readonly trusted: () => boolean;
};

/** In milliseconds, after a failure, and until the fence is trusted. */
const againMs = 1_000;

/** Looks at the lists whenever a stream is due, on every instance: who comes first has it. */
export const startNotifyingOfRecords = ({
  logger,
  trusted,
  ...dependencies
}: Dependencies): { stop(): Promise<void> } => {
  const stopping = new AbortController();
  const { signal } = stopping;
  const look = async (): Promise<number> => {
    if (!trusted()) return againMs;
    try {
      return await lookAtLists(dependencies);
    } catch (error) {
      logger.warn({ err: error }, 'could not look whether records changed; tries again');
      return againMs;
    }
  };
  const run = async () => {
    while (!signal.aborted) {
      const waitMs = await look();
      await delay(waitMs, undefined, { signal }).catch(() => undefined);
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
