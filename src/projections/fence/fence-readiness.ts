import { setTimeout as delay } from 'node:timers/promises';
import { activationFence } from './activation-fence.ts';
import { catchUpOn, type CatchUpDependencies } from '../follow/catch-up.ts';
import type { DatabaseGeneration } from '../database/database-generation.ts';
import type { ReadProgress } from '../follow/progress.ts';
import type { Position } from '../../eventstore/event-store.ts';
import { tellAgainAndAgain, wayThroughLog } from '../follow/tell-progress.ts';
import type { Logger } from '../database/pipelined-reader.ts';

export type FenceReadinessDependencies = CatchUpDependencies & {
  readonly progress: Pick<ReadProgress, 'complete'>;
  readonly database: DatabaseGeneration;
  readonly logger: Logger;
  /** How long a build may take before its progress is logged; a short first start logs nothing. */
  readonly tellAfterMs?: number;
  /** The interval between further log entries. */
  readonly tellEveryMs?: number;
  /** Reads the end of the log, to estimate how long it takes; without it there is no estimate. */
  readonly head?: () => Promise<Position | null>;
};

export type FenceReadiness = {
  /**
   * Whether bearer checks may rely on the fence, and lists on completely built read models; until then both fail closed
   * (RS-02). Once true it stays true as long as the database is the one that caught up.
   */
  readonly trusted: () => boolean;
  /** Resolves when it is true for the first time. */
  readonly ready: Promise<void>;
  readonly stop: () => Promise<void>;
};

/**
 * Determines whether the fence has applied everything that was in the log when this instance started, and whether the
 * read models have ever been complete: during their first build, half a list would look like a whole one. Repeats this
 * for every other database that is found behind the connections.
 */
export const startFenceReadiness = (dependencies: FenceReadinessDependencies): FenceReadiness => {
  const { database, logger } = dependencies;
  const stopping = new AbortController();
  const { signal } = stopping;
  let announce = () => {};
  const ready = new Promise<void>((resolve) => (announce = resolve));
  const stopTelling = database.onChange(() => {
    if (database.trustedGeneration() !== null)
      logger.error(
        { alarm: true },
        'DATABASE_URL leads to another database, to one with less data, or to a restarted server: no token is accepted until its fence has caught up with the log',
      );
  });
  const run = async () => {
    while (!signal.aborted) {
      const generation = database.current();
      const again = database.trustedGeneration() !== null;
      if (!(await untilCurrent(dependencies, signal))) break;
      if (!database.trust(generation)) continue;
      if (again) logger.info({}, 'the fence has caught up with the log: tokens are accepted again');
      announce();
      await untilChanged(database, generation, signal);
    }
    announce(); // a stop must not leave anybody waiting
  };
  const running = run();
  return {
    trusted: () => database.isTrusted(),
    ready,
    stop: async () => {
      stopping.abort();
      stopTelling();
      await running;
    },
  };
};

const untilChanged = (database: DatabaseGeneration, from: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const leave = () => {
      stopListening();
      signal.removeEventListener('abort', leave);
      resolve();
    };
    const stopListening = database.onChange(leave);
    signal.addEventListener('abort', leave);
    if (signal.aborted || database.current() !== from) leave();
  });

/** A build takes minutes, or almost no time. */
const buildingPollMs = 50;
const tellEveryMs = 10_000;

const phases = {
  fence: 'the fence catches up with the log: no token is accepted until it has',
  'read-models': 'the read models are being built: no token is accepted until they are complete',
} as const;

/**
 * While an instance refuses every token, operators need to know why, that it makes progress, and how long it takes
 * (OP-08).
 */
const tellTheWay = (dependencies: FenceReadinessDependencies) => {
  const {
    progress,
    head,
    logger,
    tellAfterMs: firstMs = 2000,
    tellEveryMs: everyMs = tellEveryMs,
  } = dependencies;
  const began = performance.now();
  const from = progress.checkpoint().catch(() => null);
  let phase: keyof typeof phases = 'fence';
  let told = false;
  let ended = false;
  const tell = async () => {
    const said = phase;
    const [start, at, newest] = await Promise.all([
      from,
      progress.checkpoint().catch(() => undefined),
      head?.().catch(() => null) ?? null,
    ]);
    if (ended || at === undefined || said !== phase) return; // told next time; other parts report that the database is not available
    told = true;
    logger.info(wayThroughLog(start, at, newest, (performance.now() - began) / 1000), phases[said]);
  };
  const telling = tellAgainAndAgain(tell, { firstMs, everyMs });
  return {
    is: (next: keyof typeof phases) => (phase = next),
    end: (isComplete: boolean) => {
      ended = true;
      telling.stop();
      if (told && isComplete) logger.info({}, 'the read models are complete');
    },
  };
};

const untilComplete = async (
  { progress }: FenceReadinessDependencies,
  signal: AbortSignal,
): Promise<void> => {
  while (!(await progress.complete())) await delay(buildingPollMs, undefined, { signal });
};

/** True when the read models are current, false when it was stopped before. */
const untilCurrent = async (
  dependencies: FenceReadinessDependencies,
  signal: AbortSignal,
): Promise<boolean> => {
  const way = tellTheWay(dependencies);
  let isCurrent = false;
  try {
    return (isCurrent = await tryUntilCurrent(dependencies, way.is, signal));
  } finally {
    way.end(isCurrent);
  }
};

const tryUntilCurrent = async (
  dependencies: FenceReadinessDependencies,
  is: (phase: keyof typeof phases) => void,
  signal: AbortSignal,
): Promise<boolean> => {
  while (!signal.aborted) {
    try {
      is('fence');
      await catchUpOn(dependencies, activationFence.eventTypes, signal);
      is('read-models');
      await untilComplete(dependencies, signal);
      return true;
    } catch (error) {
      if (signal.aborted) break;
      dependencies.logger.warn({ err: error }, 'cannot determine yet whether the fence is current');
      await delay(500, undefined, { signal }).catch(() => undefined);
    }
  }
  return false;
};
