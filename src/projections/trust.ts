import { setTimeout as delay } from 'node:timers/promises';
import { activationFence } from './activation-fence.ts';
import { catchUpOn, type CatchUpNeeds } from './catch-up.ts';
import type { ReadProgress } from './progress.ts';
import type { Logger } from './read-lane.ts';

export type TrustNeeds = CatchUpNeeds & {
  readonly progress: Pick<ReadProgress, 'complete'>;
  readonly logger: Logger;
  /** How long a build may take before anything is said about it; a first start says nothing. */
  readonly tellAfterMs?: number;
};

export type Trust = {
  /**
   * Whether bearer checks may rely on the fence, and lists on read models that were built to their end; until then
   * both fail closed (RS-02). Once true it stays true.
   */
  readonly trusted: () => boolean;
  /** Resolves when it is. */
  readonly ready: Promise<void>;
  readonly stop: () => Promise<void>;
};

/**
 * Finds out whether the fence holds everything of it that was in the log when this instance started, and whether the read
 * models have ever been complete: while they are built anew, half a list would look like a whole one.
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

/** A build takes minutes, or no time at all. */
const buildingPollMs = 50;
const tellEveryMs = 10_000;

/** Whoever looks at a new version that refuses every token wants to know why, and that it goes on. */
const untilComplete = async (needs: TrustNeeds, signal: AbortSignal): Promise<void> => {
  const { progress, logger, tellAfterMs = 2000 } = needs;
  let tellAt = performance.now() + tellAfterMs;
  let told = false;
  while (!(await progress.complete())) {
    if (performance.now() >= tellAt) {
      told = true;
      tellAt = performance.now() + tellEveryMs;
      const at = await progress.checkpoint();
      logger.info(
        { commit: String(at?.commit ?? 0) },
        'the read models are being built: no token is accepted until they are complete',
      );
    }
    await delay(buildingPollMs, undefined, { signal });
  }
  if (told) logger.info({}, 'the read models are complete');
};

/** True when it is current, false when it was stopped before. */
const untilCurrent = async (needs: TrustNeeds, signal: AbortSignal): Promise<boolean> => {
  while (!signal.aborted) {
    try {
      await catchUpOn(needs, activationFence.eventTypes, signal);
      await untilComplete(needs, signal);
      return true;
    } catch (error) {
      if (signal.aborted) break;
      needs.logger.warn({ err: error }, 'cannot tell yet whether the fence is current');
      await delay(500, undefined, { signal }).catch(() => undefined);
    }
  }
  return false;
};
