import type { LogSubscriptions, RecordedEvent } from '../../../src/eventstore/event-store.ts';

/** The same log, except that these events cannot be decoded. */
export const damagedLog = (
  log: LogSubscriptions,
  isDamaged: (event: RecordedEvent) => boolean,
): LogSubscriptions => ({
  async *subscribe(options) {
    for await (const message of log.subscribe(options)) {
      if (message.kind !== 'event' || !isDamaged(message.event)) {
        yield message;
        continue;
      }
      const { event, id, position, stream, revision } = message.event;
      if (options.unreadable !== 'deliver') throw new Error(`event ${event.type} cannot be decoded`);
      const reference = { id, stream, revision, position, type: event.type };
      yield { kind: 'unreadable', event: reference, problem: 'data.name is not a string' };
    }
  },
});
