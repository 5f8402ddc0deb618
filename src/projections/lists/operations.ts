import type { EventType } from '../../domain/events.ts';
import { isRecordId } from '../../domain/ids.ts';
import type { RecordedEvent } from '../../eventstore/event-store.ts';
import type { Handlers } from '../projection.ts';

/** The three lists; each one's table is called as the list is. */
export type ListName = 'profiles' | 'reservations' | 'access_rights';

/** Those whose records are their profile's. */
export const profilesLists = ['reservations', 'access_rights'] as const;

/** What one event does to one record. Kept in the order of the log, for what a record's user is hangs on the profiles so far. */
export type Operation = {
  readonly list: ListName;
  readonly organizationId: string;
  readonly id: string;
  /** Commit position of the event. */
  readonly position: bigint;
  /** Null removes it. */
  readonly content: Content | null;
};

export type Content = {
  /** The user of a profile, the profile of all others. */
  readonly owner: string | null;
  /** The event's, in the record's stream. */
  readonly revision: bigint;
  /** RFC 3339 UTC. */
  readonly storedAt: string;
  /** The record as its list shows it, but for `createdAt`: a JSON object. */
  readonly item: string;
};

type Recorded = { readonly organizationId: string; readonly id: string; readonly at: number };

const recorded =
  <T extends Recorded>(list: ListName, ownerOf: (record: T) => string | null) =>
  (operations: Operation[], data: T, event: RecordedEvent): void => {
    const { organizationId, at: _decidedAt, ...record } = data;
    const storedAt = new Date(event.created).toISOString();
    operations.push({
      list,
      organizationId,
      id: record.id,
      position: event.position.commit,
      content: {
        owner: ownerOf(data),
        revision: event.revision,
        storedAt,
        item: JSON.stringify({ ...record, updatedAt: storedAt }),
      },
    });
  };

const removed =
  (list: ListName) =>
  (operations: Operation[], { organizationId, id }: Recorded, event: RecordedEvent): void => {
    operations.push({ list, organizationId, id, position: event.position.commit, content: null });
  };

/**
 * What cannot be an id is nobody's. Imports let no such text in, but if another writer ever did, a NUL or half a surrogate pair
 * would stop all read models, and '' would be taken for the organization's own list.
 */
const nobody = '';

export const operationHandlers = {
  ProfileRecorded: recorded('profiles', ({ userId }) => (isRecordId(userId ?? nobody) ? userId : null)),
  ProfileRemoved: removed('profiles'),
  ReservationRecorded: recorded('reservations', ({ profileId }) =>
    isRecordId(profileId) ? profileId : nobody,
  ),
  ReservationRemoved: removed('reservations'),
  AccessRightRecorded: recorded('access_rights', ({ profileId }) =>
    isRecordId(profileId) ? profileId : nobody,
  ),
  AccessRightRemoved: removed('access_rights'),
} satisfies Handlers<Operation[]> & Partial<Record<EventType, unknown>>;
