import { accept, type Decider, type Decision, type Instant, refuse, type At } from '../kernel/decision.ts';
import type { DataIn, EventsIn } from '../describe-event.ts';
import { isUlid } from '../kernel/ids.ts';
import type { signalStreamEvents } from './events.ts';

export type SignalStreamEvent = EventsIn<typeof signalStreamEvents>;

/** How an add-on is notified, and of what. */
export type SignalConfiguration = Omit<
  DataIn<typeof signalStreamEvents, 'SignalStreamChanged'>,
  'streamId' | 'at'
>;
/** A header that only the server may read. */
export type EncryptedHeader = NonNullable<SignalConfiguration['authorization']>;

type StatusChange = DataIn<typeof signalStreamEvents, 'SignalStreamStatusChanged'>;
export type SignalStatus = StatusChange['status'];
export type SignalParty = StatusChange['by'];

export type SignalStream = SignalConfiguration & {
  readonly streamId: string;
  readonly addonId: string;
  readonly status: SignalStatus;
  /** Of the newest change of the status. */
  readonly reason: string | null;
  readonly createdAt: Instant;
};

/** Null: the add-on has no stream now. */
export type SignalStreamState = { readonly stream: SignalStream | null };

export const signalStreamDecider: Decider<SignalStreamState, SignalStreamEvent> = {
  initial: { stream: null },
  evolve: ({ stream }, { type, data }) => {
    switch (type) {
      case 'SignalStreamCreated': {
        const { at, ...created } = data;
        return { stream: { ...created, status: 'enabled', reason: null, createdAt: at } };
      }
      case 'SignalStreamChanged': {
        const { at: _at, ...changed } = data;
        return { stream: stream && { ...stream, ...changed } };
      }
      case 'SignalStreamStatusChanged':
        return { stream: stream && { ...stream, status: data.status, reason: data.reason } };
      case 'SignalStreamReplayed':
        return { stream };
      case 'SignalStreamDeleted':
        return { stream: null };
    }
  },
};

/** What is not given stays as it is. */
export type SignalStreamChange = Partial<SignalConfiguration>;

type OfStream = At<'streamId'>;

/** An add-on has one stream (SSF 1.0 §8.1.1.1 allows a transmitter to say so). Creating the same one again changes nothing. */
export const createSignalStream = (
  { stream }: SignalStreamState,
  { now, ...created }: SignalConfiguration & OfStream & { readonly addonId: string },
): Decision<SignalStreamEvent, 'signal-stream-exists'> => {
  if (stream?.streamId === created.streamId) return accept();
  if (stream) return refuse('signal-stream-exists');
  return accept({ type: 'SignalStreamCreated', data: { ...created, at: now } });
};

export const changeSignalStream = (
  { stream }: SignalStreamState,
  { streamId, change, now }: OfStream & { readonly change: SignalStreamChange },
): Decision<SignalStreamEvent, 'signal-stream-unknown'> => {
  if (stream?.streamId !== streamId) return refuse('signal-stream-unknown');
  const before = configurationOf(stream);
  const after = { ...before, ...change };
  if (JSON.stringify(after) === JSON.stringify(before)) return accept();
  return accept({ type: 'SignalStreamChanged', data: { streamId, ...after, at: now } });
};

const configurationOf = ({
  method,
  endpointUrl,
  authorization,
  eventsRequested,
  description,
}: SignalStream): SignalConfiguration => ({
  method,
  endpointUrl,
  authorization,
  eventsRequested,
  description,
});

/** A receiver may replace its reason; a transmitter tells nothing new. `onlyFrom`: another status stays. */
export const setSignalStreamStatus = (
  { stream }: SignalStreamState,
  {
    now,
    onlyFrom,
    ...change
  }: OfStream &
    Pick<SignalStream, 'status' | 'reason'> & {
      readonly by: SignalParty;
      readonly onlyFrom?: SignalStatus;
    },
): Decision<SignalStreamEvent, 'signal-stream-unknown'> => {
  if (stream?.streamId !== change.streamId) return refuse('signal-stream-unknown');
  if (onlyFrom !== undefined && stream.status !== onlyFrom) return accept();
  const isSame = stream.status === change.status;
  if (isSame && (change.by === 'transmitter' || stream.reason === change.reason)) return accept();
  return accept({ type: 'SignalStreamStatusChanged', data: { ...change, at: now } });
};

export const replaySignalStream = (
  { stream }: SignalStreamState,
  { streamId, after, now }: OfStream & { readonly after: string },
): Decision<SignalStreamEvent, 'signal-stream-unknown'> =>
  stream?.streamId === streamId
    ? accept({ type: 'SignalStreamReplayed', data: { streamId, after, at: now } })
    : refuse('signal-stream-unknown');

export const deleteSignalStream = (
  { stream }: SignalStreamState,
  { streamId, now }: OfStream,
): Decision<SignalStreamEvent, 'signal-stream-unknown'> =>
  stream?.streamId === streamId
    ? accept({ type: 'SignalStreamDeleted', data: { streamId, at: now } })
    : refuse('signal-stream-unknown');

/** A new stream's id. It begins with the add-on's, so that the log alone says which stream an id names. @param id a new ULID */
export const signalStreamId = (addonId: string, id: string): string => `${addonId}_${id}`;

/** The add-on whose stream an id may name; null for an id of another form. */
export const addonOfSignalStream = (streamId: string): string | null => {
  const [addonId = '', id = '', ...more] = streamId.split('_');
  return more.length === 0 && isUlid(addonId) && isUlid(id) ? addonId : null;
};
