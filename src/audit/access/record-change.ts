import type { StoredEvent } from '../../eventstore/event-store.ts';

/** What the lists go by in a record's event. It is read as stored: nothing in it is encrypted. */
export type RecordChange = {
  readonly list: 'profiles' | 'reservations' | 'access_rights';
  readonly id: string;
  readonly present: boolean;
  /** Of a profile its user, of the others their profile. */
  readonly owner: string | null;
};

const lists = { Profile: 'profiles', Reservation: 'reservations', AccessRight: 'access_rights' } as const;

/** Null for what is no record's event. */
export const recordChangeIn = ({ type, data }: StoredEvent): RecordChange | null => {
  const [, kind, change] = /^(Profile|Reservation|AccessRight)(Recorded|Removed)$/.exec(type) ?? [];
  if (kind === undefined) return null;
  const { id, userId, profileId } = data as {
    readonly id: string;
    readonly userId?: string | null;
    readonly profileId?: string;
  };
  const present = change === 'Recorded';
  return {
    list: lists[kind as keyof typeof lists],
    id,
    present,
    owner: present ? (userId ?? profileId ?? null) : null,
  };
};
