import { pause } from '../../common/backoff.ts';
import { EventStoreUnavailable } from '../../eventstore/event-store.ts';
import {
  describeMismatch,
  findMismatch,
  type CompareDependencies,
  type LogMismatch,
} from './compare-with-log.ts';
import type { Logger } from '../database/pipelined-reader.ts';

export type RunningLogWatch = {
  /** False from the first mismatch with a confirmed leader on. */
  readonly agrees: () => boolean;
  /** Resolves with a description when the log went back: nothing may be decided on it any more. */
  readonly lost: Promise<string>;
  stop(): Promise<void>;
};

type Dependencies = {
  readonly logger: Logger;
  readonly everyMs?: number;
  readonly patienceMs?: number;
  /** Before it compares again when it could not. */
  readonly againMs?: number;
};

/** Whether the log is still the one it started with; another is believed only of a confirmed leader. */
export const makeLogWatch = ({
  logger,
  everyMs = 60_000,
  patienceMs = 3_000,
  againMs = 5_000,
}: Dependencies) => {
  let look = () => {};
  return {
    /** To be called when a subscription had to start again: another log may be behind the address now. */
    resumed: () => look(),
    start(dependencies: CompareDependencies) {
      const stopping = new AbortController();
      const { signal } = stopping;
      let agrees = true;
      let tell = (_sentence: string) => {};
      const lost = new Promise<string>((resolve) => (tell = resolve));
      let looking: Promise<void> | null = null;
      let again = false;

      const judge = async (): Promise<LogMismatch | null> => {
        const first = await findMismatch(dependencies, 0);
        if (first === null) return null;
        agrees = false;
        logger.error({ alarm: true }, 'the event store seems to have gone back: no token is accepted');
        return findMismatch(dependencies, patienceMs, signal);
      };
      const lookOnce = async () => {
        try {
          const mismatch = await judge();
          agrees = mismatch === null;
          if (mismatch) tell(describeMismatch(mismatch));
        } catch (error) {
          if (signal.aborted) return;
          logger.warn({ err: error }, 'cannot compare the log with the database now; trying again');
          if (!(error instanceof EventStoreUnavailable)) return;
          again = true; // what it lacks, if anything, is not believed yet
          await pause(againMs, signal);
        }
      };
      look = () => {
        again = true;
        looking ??= (async () => {
          while (again && !signal.aborted) {
            again = false;
            await lookOnce();
          }
          looking = null;
        })();
      };
      const timer = setInterval(() => look(), everyMs);
      timer.unref();
      return {
        agrees: () => agrees,
        lost,
        async stop() {
          stopping.abort();
          clearInterval(timer);
          look = () => {};
          await looking;
        },
      };
    },
  };
};
