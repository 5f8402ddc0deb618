import type { LogMessage, Position } from '../../eventstore/event-store.ts';

/** The position reached after these messages; null when none of them has one. */
export const lastPosition = (messages: readonly LogMessage[]): Position | null => {
  for (const message of messages.toReversed()) {
    if (message.kind === 'event' || message.kind === 'unreadable') return message.event.position;
    if (message.kind === 'checkpoint') return message.position;
  }
  return null;
};

export const isCaughtUp = ({ kind }: LogMessage): boolean => kind === 'caught-up';

/** When the log stored the last event among these; null when there is none. */
export const lastStored = (messages: readonly LogMessage[]): number | null => {
  for (const message of messages.toReversed()) if (message.kind === 'event') return message.event.created;
  return null;
};
