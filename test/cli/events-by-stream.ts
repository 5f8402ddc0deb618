import type { EventStore, LogSubscriptions } from '../../src/eventstore/event-store.ts';

/** How many events each reservation of an organization has in the log by now. */
export const eventsByStream = async (
  log: EventStore,
  organizationId: string,
): Promise<ReadonlyMap<string, number>> => {
  const streams = new Map<string, number>();
  const leaving = new AbortController();
  const messages = (log as EventStore & LogSubscriptions).subscribe({
    after: null,
    eventTypes: ['ReservationRecorded'],
    signal: leaving.signal,
  });
  for await (const message of messages) {
    if (message.kind === 'caught-up') break;
    if (message.kind !== 'event' || !message.event.stream.includes(organizationId)) continue;
    streams.set(message.event.stream, (streams.get(message.event.stream) ?? 0) + 1);
  }
  leaving.abort();
  return streams;
};
