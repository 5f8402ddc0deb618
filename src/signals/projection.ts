import { hash } from 'node:crypto';
import type { EventType, EventOf } from '../domain/events.ts';
import type { Instant } from '../domain/kernel/decision.ts';
import { idOf } from '../domain/kernel/stream-name.ts';
import type { Past } from '../domain/signals/notice.ts';
import type { RecordedEvent } from '../eventstore/event-store.ts';
import { parseTraceparent } from '../observability/tracing/traceparent.ts';
import type { Projection, Tx } from '../projections/follow/projection.ts';
import { loadPast, pastTypes } from './earlier-events.ts';
import { noteRequest, withdrawRecords } from './records/record-streams.ts';
import type { SetDraft } from './set-draft.ts';
import { lockStreamsOf, queueSets, dropWaiting, replaySets, wakeStream } from './set-queue.ts';
import { keepStream, markDeleted, noteRevision, readStream, type StreamRow } from './stream-table.ts';
import { recordsChangedType } from './set-types.ts';
import { tellingTypes, toldBy, type Told } from './sets-of-event.ts';

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

const followedTypes = Object.keys(following) as readonly (keyof typeof following)[];

/** Null for an event of anything else; otherwise what it changes, which wakes whoever waits for the stream. */
const followOf = ({ event, revision, position }: RecordedEvent, issuer: string) => {
  const follow = (following as { readonly [T in EventType]?: unknown })[event.type] as
    Follow<EventType> | undefined;
  if (!follow || !('streamId' in event.data)) return null;
  const { data } = event;
  return async (tx: Tx, now: Instant): Promise<void> => {
    await follow(tx, data, now);
    await noteRevision(tx, data.streamId, revision);
    if (event.type !== 'SignalStreamReplayed') await followRequest(tx, data.streamId, position, issuer);
    await wakeStream(tx, data.streamId);
  };
};

/** Whether records of lists are of interest, and since when. */
const followRequest = async (
  tx: Tx,
  streamId: string,
  { commit }: RecordedEvent['position'],
  issuer: string,
): Promise<void> => {
  const row = await readStream(tx, streamId);
  const isAsked =
    row && row.status !== 'disabled' && row.eventsRequested.includes(recordsChangedType(issuer));
  await noteRequest(tx, streamId, isAsked ? commit : null);
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

/** The worker's checkpoint. It is no read model: a rebuild never runs it again from the beginning. */
export const signalsGroup = 'signals';

export const signalsTypes: readonly EventType[] = [
  ...new Set<EventType>([...tellingTypes, ...pastTypes, ...followedTypes]),
];

export type SignalsDependencies = {
  readonly issuer: string;
  /** No SET is made of older events (SIGNALS_RETENTION_DAYS), in milliseconds. */
  readonly keepMs: number;
  readonly now: () => Instant;
};

/**
 * Queues what the log says to add-ons, in its order (SG-06). Queue and checkpoint are one transaction, so an event is
 * told once for each stream that was there when it happened, however often the worker is killed.
 */
export const makeSignalsProjection = (dependencies: SignalsDependencies): Projection => ({
  name: signalsGroup,
  eventTypes: signalsTypes,
  begin() {
    const events: RecordedEvent[] = [];
    return {
      apply: (event) => void events.push(event),
      write: (tx) => (events.length === 0 ? Promise.resolve() : tellAll(dependencies, tx, events)),
    };
  },
});

const tellAll = async (
  { issuer, keepMs, now }: SignalsDependencies,
  tx: Tx,
  events: readonly RecordedEvent[],
): Promise<void> => {
  const oldest = now() - keepMs;
  const past = await loadPast(tx, events);
  const steps = events.map((event) => {
    const drafts = draftsOf(event, past, issuer).filter(({ at }) => at >= oldest);
    past.apply(event);
    const follow = followOf(event, issuer);
    const addonIds = [...drafts.map(({ addonId }) => addonId), ...(follow ? [idOf(event.stream)] : [])];
    return { drafts, follow, addonIds };
  });
  // Otherwise all is queued at once, which locks by itself.
  if (steps.some(({ follow }) => follow !== null))
    await lockStreamsOf(
      tx,
      steps.flatMap(({ addonIds }) => addonIds),
    );
  const waiting: SetDraft[] = [];
  for (const { drafts, follow } of steps) {
    waiting.push(...drafts);
    if (!follow) continue;
    await queueAll(tx, waiting.splice(0));
    await follow(tx, now());
  }
  await queueAll(tx, waiting);
  await past.store(tx);
};

const queueAll = async (tx: Tx, drafts: readonly SetDraft[]): Promise<void> => {
  if ((await queueSets(tx, drafts)) > 0) await withdrawRecords(tx, drafts);
};

/** The SETs of an event, in order: the same at every repeat, as long as the past is the same. */
export const draftsOf = (recorded: RecordedEvent, past: Past, issuer: string): readonly SetDraft[] =>
  toldBy(recorded, past, issuer).map((told, part) => draftOf(recorded, told, part));

const draftOf = (recorded: RecordedEvent, told: Told, part: number): SetDraft => ({
  ...told,
  jti: jtiOf(recorded.id, told),
  txn: transactionOf(recorded),
  at: recorded.event.data.at,
  position: recorded.position,
  part,
});

/** SG-04: of the stored event's id, the event type and the subject; and of the add-on, which are several (RFC 8417 §2.2). */
const jtiOf = (eventId: string, { type, subId, addonId }: Told): string =>
  hash('sha256', [eventId, type, JSON.stringify(subId), addonId].join('\n'), 'buffer')
    .subarray(0, 16)
    .toString('base64url');

/** The trace in which the event was decided (RFC 8417 §2.2); events without one are transactions of their own. */
const transactionOf = ({ id, metadata }: RecordedEvent): string =>
  parseTraceparent(metadata.traceparent)?.traceId ?? metadata.correlationId ?? id;
