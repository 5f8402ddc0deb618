import { eventDescriptions, type EventType, eventTypes } from '../domain/events.ts';
import { idOf } from '../domain/kernel/stream-name.ts';
import { inSeconds, type Notice, type OwnName, ownNames, type Past } from '../domain/signals/notice.ts';
import type { RecordedEvent } from '../eventstore/event-store.ts';
import type { Queue, SubjectId } from './set-draft.ts';
import { grantFormat, ownType, standardTypes, streamTypes } from './set-types.ts';

export type Told = {
  readonly addonId: string;
  readonly queue: Queue;
  readonly type: string;
  readonly subId: SubjectId;
  readonly payload: Readonly<Record<string, unknown>>;
};

/** The event types that say anything to add-ons. */
export const tellingTypes: readonly EventType[] = eventTypes.filter(
  (type) => eventDescriptions[type].notices !== null,
);

/** What an event says to which add-ons, in order. */
export const toldBy = (recorded: RecordedEvent, past: Past, issuer: string): readonly Told[] => {
  const { event, stream, metadata } = recorded;
  const { notices } = eventDescriptions[event.type];
  const context = { streamId: idOf(stream), actor: metadata.actor, past };
  return (notices?.(event.data as never, context) ?? []).map((notice) => ({
    addonId: notice.addonId,
    queue: notice.queue,
    subId: subjectOf(notice.subject, issuer),
    ...contentOf(notice, recorded, issuer),
  }));
};

/** Our own event types say where in the log, and why. */
const contentOf = (
  { event, payload }: Notice,
  { position, event: { data } }: RecordedEvent,
  issuer: string,
) =>
  isOwn(event)
    ? {
        type: ownType(issuer, event),
        payload: {
          event_timestamp: inSeconds(data.at),
          position: `${position.commit}/${position.prepare}`,
          ...payload,
        },
      }
    : { type: { ...standardTypes, ...streamTypes }[event], payload };

const isOwn = (event: Notice['event']): event is OwnName => (ownNames as readonly string[]).includes(event);

const opaque = (id: string): SubjectId => ({ format: 'opaque', id });

/** RFC 9493 §3.2.5: the user, by the `sub` that id_tokens and introspection say. */
const userSubject = (iss: string, sub: string): SubjectId => ({ format: 'iss_sub', iss, sub });

const subjectOf = (subject: Notice['subject'], issuer: string): SubjectId => {
  switch (subject.kind) {
    case 'addon':
    case 'stream':
      return opaque(subject.id); // RFC 9493 §3.2.6
    case 'user':
      return userSubject(issuer, subject.userId);
    case 'grant':
      return { format: grantFormat(issuer), iss: issuer, grant_id: subject.grantId };
    case 'activation':
      // A complex subject (SSF 1.0 §3.3).
      return {
        format: 'complex',
        tenant: opaque(subject.organizationId),
        application: opaque(subject.addonId),
        ...(subject.userId !== undefined && { user: userSubject(issuer, subject.userId) }),
      };
  }
};
