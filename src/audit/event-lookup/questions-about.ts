import { organizationAskedIn } from '../../domain/log/audit-query.ts';
import { comparePositions, type StoredEvent } from '../../eventstore/event-store.ts';
import { eventsAt } from '../read-events.ts';
import { isBeyond, unlessInterrupted, type EventLookupDependencies, type Range } from './dependencies.ts';

/** Audit queries about an organization, in the order of the log, all in memory; each is in the stream of the user who asked. */
export const questionsAbout = async (
  { log, streams }: Pick<EventLookupDependencies, 'log' | 'streams'>,
  organizationId: string,
  range: Range,
): Promise<readonly StoredEvent[]> => {
  const { until, signal } = range;
  const after = await streams.checkpoint();
  const known = await streams.questions(organizationId);
  const seen = known.filter(({ position }) => after && comparePositions(position, after) <= 0);
  const found = (await eventsAt(log, seen)).filter((event) => !isBeyond(event, range));
  if (!after || comparePositions(after, until) < 0)
    for await (const event of log.readLog({ after, until, only: { eventTypes: ['AuditQueried'] }, signal })) {
      if (isBeyond(event, range)) break;
      if (organizationAskedIn(event.data) === organizationId) found.push(event);
    }
  unlessInterrupted(range);
  return found;
};
