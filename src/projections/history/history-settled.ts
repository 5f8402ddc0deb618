import { typesWithSubjects } from '../../domain/events.ts';
import type { EventStore, LogSubscriptions } from '../../eventstore/event-store.ts';
import { catchUpOn } from '../follow/catch-up.ts';
import { historyGroup } from './history.ts';
import type { Logger, PipelinedReader } from '../database/pipelined-reader.ts';
import { watchProgress } from '../follow/progress.ts';

type Dependencies = {
  readonly databaseUrl: string;
  readonly log: LogSubscriptions & Pick<EventStore, 'head'>;
  readonly reader: PipelinedReader;
  readonly logger: Logger;
};

/**
 * Waits, bounded, until timelines have applied everything that is in the log now; false when they have not. Never
 * throws. It keeps a listening connection while it waits: only commands use it, one after the other.
 */
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
    await progress.close();
  }
};
