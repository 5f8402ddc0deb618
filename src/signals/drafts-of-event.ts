import { hash } from 'node:crypto';
import type { EventType } from '../domain/events.ts';
import type { RecordedEvent } from '../eventstore/event-store.ts';
import { parseTraceparent } from '../observability/tracing/traceparent.ts';
import type { SetDraft } from './set-draft.ts';
import { toldByType } from './told/by-event.ts';
import type { HasTime, Past, Tell, Told } from './told/told.ts';

/** The SETs of an event, in order: the same at every repeat, as long as the past is the same. */
export const draftsOf = (recorded: RecordedEvent, past: Past, issuer: string): readonly SetDraft[] => {
  const tell = toldByType[recorded.event.type] as Tell<EventType> | null;
  const told = tell?.(recorded.event.data, { issuer, recorded, past }) ?? [];
  return told.map((one, part) => draftOf(recorded, one, part));
};

const draftOf = (recorded: RecordedEvent, told: Told, part: number): SetDraft => ({
  ...told,
  jti: jtiOf(recorded.id, told),
  txn: transactionOf(recorded),
  at: (recorded.event.data as HasTime).at,
  position: recorded.position,
  part,
});

/** SG-04: of the stored event's id, the event type and the subject; and of the add-on, which are several (RFC 8417 §2.2). */
const jtiOf = (eventId: string, { type, subId, addonId }: Told): string =>
  hash('sha256', [eventId, type, JSON.stringify(subId), addonId].join('\n'), 'buffer')
    .subarray(0, 16)
    .toString('base64url');

/** The trace in which the event was decided (RFC 8417 §2.2); older events name none, and are transactions of their own. */
const transactionOf = ({ id, metadata }: RecordedEvent): string =>
  parseTraceparent(metadata.traceparent)?.traceId ?? metadata.correlationId ?? id;
