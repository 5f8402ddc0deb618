import type { Instant } from '../../domain/kernel/decision.ts';
import type { EventOf, EventType } from '../../domain/events.ts';
import type { RecordedEvent } from '../../eventstore/event-store.ts';
import type { Queue, SubjectId } from '../set-draft.ts';
import { grantFormat, ownType, type OwnName } from '../set-types.ts';

/** One SET, as far as the event decides it. */
export type Told = {
  readonly addonId: string;
  readonly queue: Queue;
  readonly type: string;
  readonly subId: SubjectId;
  readonly payload: Readonly<Record<string, unknown>>;
};

/** Whose a grant is. */
export type GrantHolder = {
  readonly addonId: string;
  /** Null for a grant of the user's own records. */
  readonly organizationId: string | null;
  readonly userId: string;
};

/** An add-on that ever held a grant of a user. */
export type Holder = {
  readonly addonId: string;
  /** One of them was for the user's own records; the others are organizations' grants that the user allowed. */
  readonly own: boolean;
};

/** What happened before the event, as far as it decides whom to tell. */
export type Past = {
  /** Null where its code was never redeemed: the add-on has nothing of it. */
  grant(grantId: string): GrantHolder | null;
  holders(userId: string): readonly Holder[];
};

export type Telling = {
  readonly issuer: string;
  readonly recorded: Pick<RecordedEvent, 'stream' | 'position' | 'metadata'>;
  readonly past: Past;
};

/** When it was decided: the log's own time of an event changes when the log is copied (ADR 46). */
export type HasTime = { readonly at: Instant };

/** What an event says to which add-ons, in order. */
export type Tell<T extends EventType> = (data: EventOf<T>['data'], telling: Telling) => readonly Told[];

/** NumericDate (RFC 7519 §2). */
export const inSeconds = (instant: number): number => Math.floor(instant / 1000);

/** The event type and the member of `events` of one of our own: they say where in the log, and why. */
export const own = (
  name: OwnName,
  { issuer, recorded }: Telling,
  at: number,
  payload: Readonly<Record<string, unknown>> & { readonly reason: string },
) => ({
  type: ownType(issuer, name),
  payload: {
    event_timestamp: inSeconds(at),
    position: `${recorded.position.commit}/${recorded.position.prepare}`,
    ...payload,
  },
});

/** RFC 9493 §3.2.5: the user, by the `sub` that id_tokens and introspection say. */
export const userSubject = (issuer: string, userId: string): SubjectId => ({
  format: 'iss_sub',
  iss: issuer,
  sub: userId,
});

export const grantSubject = (issuer: string, grantId: string): SubjectId => ({
  format: grantFormat(issuer),
  iss: issuer,
  grant_id: grantId,
});

/** RFC 9493 §3.2.6. */
export const opaqueSubject = (id: string): SubjectId => ({ format: 'opaque', id });

/** An add-on of an organization: a complex subject (SSF 1.0 §3.3). */
export const activationSubject = (organizationId: string, addonId: string): SubjectId => ({
  format: 'complex',
  tenant: opaqueSubject(organizationId),
  application: opaqueSubject(addonId),
});

export const queueOf = (organizationId: string | null, userId: string): Queue =>
  organizationId === null ? `user:${userId}` : `organization:${organizationId}`;
