import type { Instant } from '../domain/kernel/decision.ts';
import type { EventOf, EventType } from '../domain/events.ts';
import type { RecordedEvent } from '../eventstore/event-store.ts';
import type { Tx } from '../projections/follow/projection.ts';
import { dropWaiting, replaySets, wakeStream } from './set-queue.ts';
import { keepStream, markDeleted, noteRevision, readStream, type StreamRow } from './stream-table.ts';

/** Brings the tables to what the log says of a stream at this event. What came before it is queued already. */
type Follow<T extends EventType> = (tx: Tx, data: EventOf<T>['data'], now: Instant) => Promise<void>;

const following = {
  SignalStreamCreated: (tx, { addonId, ...created }) =>
    keepStream(tx, { ...configurationOf(created), addonId, status: 'enabled', reason: null }),
  SignalStreamChanged: (tx, changed) => change(tx, changed.streamId, configurationOf(changed)),
  SignalStreamStatusChanged: async (tx, { streamId, status, reason }) => {
    await change(tx, streamId, { status, reason });
    if (status === 'disabled') await dropWaiting(tx, streamId);
  },
  SignalStreamReplayed: (tx, { streamId, after }) => {
    const [commit = '', prepare = ''] = after.split('/');
    return replaySets(tx, streamId, { commit: BigInt(commit), prepare: BigInt(prepare) });
  },
  SignalStreamDeleted: (tx, { streamId }, now) => markDeleted(tx, streamId, now),
} satisfies { readonly [T in EventType]?: Follow<T> };

/** Event types of the streams themselves. */
export const followedTypes = Object.keys(following) as readonly (keyof typeof following)[];

/** Null for an event of anything else; otherwise what it changes, which wakes whoever waits for the stream. */
export const followOf = ({ event, revision }: RecordedEvent) => {
  const follow = (following as { readonly [T in EventType]?: unknown })[event.type] as
    Follow<EventType> | undefined;
  if (!follow || !('streamId' in event.data)) return null;
  const { data } = event;
  return async (tx: Tx, now: Instant): Promise<void> => {
    await follow(tx, data, now);
    await noteRevision(tx, data.streamId, revision);
    await wakeStream(tx, data.streamId);
  };
};

const change = async (tx: Tx, streamId: string, changes: Partial<StreamRow>): Promise<void> => {
  const row = await readStream(tx, streamId);
  if (row) await keepStream(tx, { ...row, ...changes });
};

const configurationOf = ({
  streamId,
  method,
  endpointUrl,
  authorization,
  eventsRequested,
}: Omit<EventOf<'SignalStreamChanged'>['data'], 'at'>) => ({
  streamId,
  method,
  endpointUrl,
  authorizationHeader: authorization,
  eventsRequested,
});
