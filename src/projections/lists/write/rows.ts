import type { ListName } from './operations.ts';

/** The place of a record in one list, and the event (a commit position) with which it entered. */
export type Place = { readonly ordinal: number; readonly entered: bigint };

/** A user's list, and the place there. */
export type UserPlace = Place & { readonly userId: string };

export type RecordRow = {
  readonly list: ListName;
  readonly organizationId: string;
  readonly id: string;
  readonly place: Place;
  readonly ofUser: UserPlace | null;
  /** Null for profiles. */
  readonly profileId: string | null;
  readonly createdAt: string;
};

export type ListRow = {
  readonly list: ListName;
  readonly organizationId: string;
  /** '' for the organization's own. */
  readonly userId: string;
  readonly total: number;
  readonly nextOrdinal: number;
  readonly changed: bigint;
};

export type NameOfList = Pick<ListRow, 'list' | 'organizationId' | 'userId'>;

/** A record's stay in a list, as it ended. */
export type Removal = NameOfList &
  Place & {
    readonly id: string;
    /** Commit position of the event, and when the log stored it. */
    readonly removed: bigint;
    readonly removedAt: number;
    /** Whether a record with this id has entered the list since. */
    readonly again: boolean;
  };

/** A record that entered a list. */
export type Entered = NameOfList & { readonly id: string };

/** The event of a change: its commit position, and when the log stored it. */
export type Moment = { readonly position: bigint; readonly at: number };

/** The change in the number of records of a block. */
export type BlockChange = NameOfList & {
  readonly level: number;
  readonly block: number;
  readonly records: number;
};

/** No id has a zero byte: PostgreSQL accepts none. */
const join = (...parts: readonly string[]): string => parts.join('\u0000');

type RecordName = Pick<RecordRow, 'list' | 'organizationId' | 'id'>;
export const recordKey = ({ list, organizationId, id }: RecordName): string => join(list, organizationId, id);

export const profileKey = (organizationId: string, profileId: string): string =>
  join('profiles', organizationId, profileId);

export const listKey = ({ list, organizationId, userId }: NameOfList): string =>
  join(list, organizationId, userId);
