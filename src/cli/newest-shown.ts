import type { LogSubscriptions, Position } from '../eventstore/event-store.ts';
import { readModelProjections } from '../projections/read-model-projections.ts';
import type { ReadModels } from '../projections/read-models.ts';

const eventTypes = [...new Set(readModelProjections.flatMap((projection) => projection.eventTypes))];

/**
 * The newest event behind the checkpoint that a read model will show, as far as it is found in time; null when there is
 * none. The head of the log would be the wrong thing to wait for: it may be an event of which no read model ever hears.
 */
export const newestShown = async (
  log: LogSubscriptions,
  readModels: Pick<ReadModels, 'checkpoint'>,
  timeoutMs: number,
): Promise<Position | null> => {
  const leaving = new AbortController();
  const signal = AbortSignal.any([leaving.signal, AbortSignal.timeout(timeoutMs)]);
  let newest: Position | null = null;
  try {
    const after = await readModels.checkpoint();
    for await (const message of log.subscribe({ after, eventTypes, unreadable: 'deliver', signal })) {
      if (message.kind === 'event' || message.kind === 'unreadable') newest = message.event.position;
      if (message.kind === 'caught-up') break;
    }
  } finally {
    leaving.abort();
  }
  return newest;
};
