import { setTimeout as delay } from 'node:timers/promises';
import { activationFence } from './activation-fence.ts';
import { catchUpOn, type CatchUpNeeds } from './catch-up.ts';
import type { Logger } from './read-lane.ts';

export type TrustNeeds = CatchUpNeeds & { readonly logger: Logger };

export type Trust = {
  /** Whether bearer checks may rely on the fence; until then they fail closed (RS-02). Once true it stays true. */
  readonly trusted: () => boolean;
  /** Resolves when it is. */
  readonly ready: Promise<void>;
  readonly stop: () => Promise<void>;
};

/** Finds out whether the fence holds everything of it that was in the log when this instance started. */
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
      await catchUpOn(needs, activationFence.eventTypes, signal);
      return true;
    } catch (error) {
      if (signal.aborted) break;
      needs.logger.warn({ err: error }, 'cannot tell yet whether the fence is current');
      await delay(500, undefined, { signal }).catch(() => undefined);
    }
  }
  return false;
};
