import { UndecodableEvent, UnknownEventType } from './codec-errors.ts';
import { codec, type StoredEvent } from './codec.ts';
import type { LogSubscriptions, ReadEvent } from './event-store.ts';
import type { StreamName } from '../domain/streams.ts';

export type Unreadable = NonNullable<Parameters<LogSubscriptions['subscribe']>[0]['unreadable']>;

/** @throws UndecodableEvent, UnknownEventType unless they are to be delivered; always for one that has no position */
export const readEvent = (stored: StoredEvent, unreadable: Unreadable): ReadEvent => {
  try {
    return { kind: 'event', event: codec.decode(stored) };
  } catch (error) {
    const isFinal = error instanceof UndecodableEvent || error instanceof UnknownEventType;
    const { id, streamId, revision, position, type } = stored;
    if (unreadable === 'fail' || !isFinal || !position) throw error;
    const event = { id, stream: streamId as StreamName, revision, position, type };
    return { kind: 'unreadable', event, problem: error.message };
  }
};
