import type { EventOf, EventType } from '../../domain/events.ts';
import type { GrantSubject } from '../../domain/access/grant.ts';
import { idOf, isOfCategory } from '../../domain/kernel/stream-name.ts';
import type { RecordedEvent } from '../../eventstore/event-store.ts';

/** The add-on and the subject of a grant. Only the first event of a grant contains them (`ownerFrom`). */
export type GrantOwner = { readonly addonId: string; readonly subject: GrantSubject };

type First = EventOf<'AuthorizationCodeIssued'>['data'];

/** From the first event of a grant; null for any other event. */
export const ownerFrom = ({ event }: Pick<RecordedEvent, 'event'>): GrantOwner | null =>
  event.type === 'AuthorizationCodeIssued' ? ownerOf(event.data) : null;

const ownerOf = ({ addonId, subject }: First): GrantOwner => ({ addonId, subject });

/** The id in `grant-<id>`; null for another stream. */
export const grantIdOf = (stream: string): string | null =>
  isOfCategory(stream, 'grant') ? idOf(stream) : null;

/** Whether `toMessage` needs the owner: for every event of a grant except the first. */
export const needsOwner = ({ stream, event }: Pick<RecordedEvent, 'stream' | 'event'>): boolean =>
  grantIdOf(stream) !== null && event.type !== ('AuthorizationCodeIssued' satisfies EventType);
