import { inContext, type Commands } from '../../../src/commands/commands.ts';
import { makeCommands, type WriteSide } from '../../../src/commands/make-commands.ts';
import type { EventStore } from '../../../src/eventstore/event-store.ts';

export const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';

/** The commands, each called in a trace, on a log that refuses events without one. */
export const tracedCommands = ({ common, ...features }: WriteSide): Commands =>
  inContext(makeCommands({ common: { ...common, store: tracedOnly(common.store) }, ...features }), {
    traceparent,
  });

/** Wraps the same object: if a test replaces a method of the log later, it is replaced here, too. */
const tracedOnly = (store: EventStore): EventStore =>
  Object.assign(Object.create(store) as EventStore, {
    append: (...[stream, expected, events]: Parameters<EventStore['append']>) => {
      const untraced = events.find(({ metadata }) => metadata?.traceparent === undefined);
      if (untraced) throw new Error(`${untraced.event.type} does not say in which trace it was decided`);
      return store.append(stream, expected, events);
    },
  });
