import { setTimeout as delay } from 'node:timers/promises';
import type { LogSubscriptions, Position } from '../eventstore/event-store.ts';
import { activationFence } from './activation-fence.ts';
import type { ReadProgress } from './progress.ts';
import type { Logger } from './read-lane.ts';

export type TrustNeeds = {
  readonly log: LogSubscriptions;
  readonly progress: Pick<ReadProgress, 'checkpoint' | 'waitFor'>;
  readonly logger: Logger;
};

export type Trust = {
  /** Whether bearer checks may rely on the fence; until then they fail closed (RS-02). Once true it stays true. */
  readonly trusted: () => boolean;
  /** Resolves when it is. */
  readonly ready: Promise<void>;
  readonly stop: () => Promise<void>;
};

/**
 * Finds out whether the fence holds everything that was in the log when this instance started: looks for events of the
 * fence behind the checkpoint, and waits until the newest of them has been applied. The log's head itself would be the
 * wrong thing to wait for: it may be an event of which no read model ever hears.
 */
export const startTrust = (needs: TrustNeeds): Trust => {
  const stopping = new AbortController();
  let trusted = false;
  const ready = untilCurrent(needs, stopping.signal).then((current) => {
    trusted = current;
  });
  return {
    trusted: () => trusted,
    ready,
    stop: async () => {
      stopping.abort();
      await ready;
    },
  };
};

/** True when it is current, false when it was stopped before. */
const untilCurrent = async (needs: TrustNeeds, signal: AbortSignal): Promise<boolean> => {
  while (!signal.aborted) {
    try {
      const newest = await newestFenceEvent(needs, signal);
      while (!signal.aborted)
        if (newest === null || (await needs.progress.waitFor(newest, 1000))) return true;
    } catch (error) {
      needs.logger.warn({ err: error }, 'cannot tell yet whether the fence is current');
      await delay(500, undefined, { signal }).catch(() => undefined);
    }
  }
  return false;
};

const newestFenceEvent = async (
  { log, progress }: TrustNeeds,
  signal: AbortSignal,
): Promise<Position | null> => {
  const leaving = new AbortController();
  const after = await progress.checkpoint();
  const { eventTypes } = activationFence;
  let newest: Position | null = null;
  try {
    const messages = log.subscribe({ after, eventTypes, signal: AbortSignal.any([signal, leaving.signal]) });
    for await (const message of messages) {
      if (message.kind === 'event') newest = message.event.position;
      if (message.kind === 'caught-up') return newest;
    }
  } finally {
    leaving.abort();
  }
  if (signal.aborted) return null;
  throw new Error('The subscription ended before it had caught up');
};
