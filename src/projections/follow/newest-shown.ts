import { comparePositions, type LogSubscriptions, type Position } from '../../eventstore/event-store.ts';
import { readModelProjections } from '../read-model-projections.ts';
import type { ReadModels } from '../read-models.ts';
import { eventTypesOf } from './projector.ts';

const eventTypes = eventTypesOf(readModelProjections);

/**
 * The position of the newest event after the checkpoint that a read model applies, as far as found in time; null when
 * there is none. The head of the log is no substitute: no read model may apply that event, so waiting for it could take
 * forever.
 * @param enough looks no further than to the first event from there on
 */
export const newestShown = async (
  log: LogSubscriptions,
  readModels: Pick<ReadModels, 'checkpoint'>,
  timeoutMs: number,
  enough?: Position,
): Promise<Position | null> => {
  const leaving = new AbortController();
  const signal = AbortSignal.any([leaving.signal, AbortSignal.timeout(timeoutMs)]);
  let newest: Position | null = null;
  try {
    const after = await readModels.checkpoint();
    for await (const message of log.subscribe({ after, eventTypes, unreadable: 'deliver', signal })) {
      if (message.kind === 'event' || message.kind === 'unreadable') newest = message.event.position;
      if (message.kind === 'caught-up') break;
      if (enough && newest && comparePositions(newest, enough) >= 0) break;
    }
  } finally {
    leaving.abort();
  }
  return newest;
};
