import { typesWithSubjects } from '../../domain/events.ts';
import type { EventStore, LogSubscriptions } from '../../eventstore/event-store.ts';
import { catchUpOn } from '../follow/catch-up.ts';
import { historyGroup } from './history.ts';
import { watchProgress, type ReadProgressDependencies } from '../follow/progress.ts';

type Dependencies = {
  readonly log: LogSubscriptions & Pick<EventStore, 'head'>;
} & Pick<ReadProgressDependencies, 'listener' | 'reader'>;

/** Waits, bounded, until timelines have applied everything that is in the log now; false when they have not. Never throws. */
export const historySettled = async (
  { log, ...dependencies }: Dependencies,
  timeoutMs: number,
): Promise<boolean> => {
  const progress = watchProgress({ ...dependencies, name: historyGroup });
  try {
    await catchUpOn({ log, progress }, typesWithSubjects, AbortSignal.timeout(timeoutMs));
    return true;
  } catch {
    return false;
  } finally {
    progress.close();
  }
};
