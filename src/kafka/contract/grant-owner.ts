import type { EventOf, EventType } from '../../domain/events.ts';
import type { GrantSubject } from '../../domain/grant.ts';
import { idOf, isOfCategory } from '../../domain/stream-name.ts';
import type { RecordedEvent } from '../../eventstore/event-store.ts';

/** Whose grant it is. A grant's first event says it (`ownerFrom`), the others do not. */
export type GrantOwner = { readonly addonId: string; readonly subject: GrantSubject };

type First = EventOf<'AuthorizationCodeIssued'>['data'];

/** Of a grant's first event; null of any other. */
export const ownerFrom = ({ event }: Pick<RecordedEvent, 'event'>): GrantOwner | null =>
  event.type === 'AuthorizationCodeIssued' ? ownerOf(event.data) : null;

const ownerOf = ({ addonId, subject }: First): GrantOwner => ({ addonId, subject });

/** The id in `grant-<id>`; null for another stream. */
export const grantIdOf = (stream: string): string | null =>
  isOfCategory(stream, 'grant') ? idOf(stream) : null;

/** Whether `toMessage` must be given the owner: it is an event of a grant, and not the first. */
export const needsOwner = ({ stream, event }: Pick<RecordedEvent, 'stream' | 'event'>): boolean =>
  grantIdOf(stream) !== null && event.type !== ('AuthorizationCodeIssued' satisfies EventType);
