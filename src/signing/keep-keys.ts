import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from '../projections/database/pipelined-reader.ts';
import type { KeyStore } from './key-store.ts';

/** As often as an instance checks for keys of others. */
const every = 30_000;

/** Records changes of the signing keys in the log, on each instance: the expected revision accepts one of the same. */
export const startKeepingKeys = ({ keep }: Pick<KeyStore, 'keep'>, logger: Logger) => {
  const stopping = new AbortController();
  const { signal } = stopping;
  const run = async (): Promise<void> => {
    while (!signal.aborted) {
      await keep().catch((err: unknown) =>
        logger.warn({ err }, 'changes of the signing keys could not be recorded; retrying'),
      );
      await delay(every, undefined, { signal }).catch(() => undefined);
    }
  };
  const running = run();
  return {
    async stop(): Promise<void> {
      stopping.abort();
      await running;
    },
  };
};
