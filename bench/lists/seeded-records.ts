import type { DomainEvent } from '../../src/domain/events.ts';
import type { StreamName } from '../../src/domain/streams.ts';
import type { RecordedEvent } from '../../src/eventstore/event-store.ts';
import { operationHandlers, type Operation } from '../../src/projections/lists/write/operations.ts';

/** The records of an organization without any so far. */
export type RecordSeed = {
  readonly organizationId: string;
  /** The accounts of its profiles, null for profiles without one; the access rights belong to them in turn. */
  readonly userIds: readonly (string | null)[];
  /** Number of access rights, of which some are removed at the end (`isGone`). */
  readonly records: number;
  /** Of the first event; the others follow at equal distances. Milliseconds since the Unix epoch. */
  readonly from: { readonly position: bigint; readonly created: number };
  readonly step: { readonly position: number; readonly created: number };
};

type Told = { readonly stream: StreamName; readonly event: DomainEvent };

export const profileId = (turn: number | string): string => `person_${turn}`;
export const accessRightId = (index: number | string): string => `right_${index}`;

/** About a tenth at random, and the sixteenth that begins in the middle, so that some blocks are empty. */
export const isGone = (index: number, records: number): boolean =>
  (index * scatter) % wrap < wrap / 10 || (index * 16 >= records * 8 && index * 16 < records * 9);
const scatter = 2_654_435_761; // Knuth's multiplicative hash
const wrap = 2 ** 32;
/** The same in SQL. */
export const goneInSql = (index: string, records: string): string =>
  `((${index}::bigint * ${scatter}) % ${wrap} < ${wrap} / 10.0 or (${index} * 16 >= ${records} * 8 and ${index} * 16 < ${records} * 9))`;

/** The events that the log would contain. */
export const seededEvents = function* (seed: RecordSeed): Generator<Told> {
  const { userIds, records } = seed;
  for (const [turn, userId] of userIds.entries()) yield profileRecorded(seed, profileId(turn), userId);
  for (let index = 0; index < records; index++)
    yield accessRightRecorded(seed, accessRightId(index), profileId(index % userIds.length));
  for (let index = 0; index < records; index++)
    if (isGone(index, records)) yield accessRightRemoved(seed, accessRightId(index));
};

const at = 0;

const profileRecorded = ({ organizationId }: RecordSeed, id: string, userId: string | null) => ({
  stream: `profile-${organizationId}.${id}` as const,
  event: {
    type: 'ProfileRecorded',
    data: {
      organizationId,
      id,
      version: 1,
      name: 'Ada Example',
      email: `${id}@example.org`,
      userId,
      phone: null,
      locale: null,
      externalId: null,
      at,
    },
  } satisfies DomainEvent,
});

const accessRightRecorded = ({ organizationId }: RecordSeed, id: string, profile: string) => ({
  stream: `accessRight-${organizationId}.${id}` as const,
  event: {
    type: 'AccessRightRecorded',
    data: {
      organizationId,
      id,
      version: 1,
      profileId: profile,
      opens: 'Front door',
      validFrom: '2026-01-01T00:00:00Z',
      validUntil: null,
      status: 'active',
      reservationId: null,
      at,
    },
  } satisfies DomainEvent,
});

const accessRightRemoved = ({ organizationId }: RecordSeed, id: string) => ({
  stream: `accessRight-${organizationId}.${id}` as const,
  event: { type: 'AccessRightRemoved', data: { organizationId, id, version: 2, at } } satisfies DomainEvent,
});

/** Placeholders for values that differ between records. */
export const marks = { id: 'ID_MARK', profile: 'PROFILE_MARK', time: new Date(0).toISOString() };

/** An access right as the projection stores it. */
export const accessRightTemplate = (seed: RecordSeed): string => {
  const { event } = accessRightRecorded(seed, marks.id, marks.profile);
  return itemOf((operations, recorded) =>
    operationHandlers.AccessRightRecorded?.(operations, event.data, recorded),
  );
};

export const profileTemplate = (seed: RecordSeed, id: string, userId: string | null): string => {
  const { event } = profileRecorded(seed, id, userId);
  return itemOf((operations, recorded) =>
    operationHandlers.ProfileRecorded?.(operations, event.data, recorded),
  );
};

const itemOf = (handle: (operations: Operation[], event: RecordedEvent) => void): string => {
  const operations: Operation[] = [];
  handle(operations, recordedAtMark);
  return operations[0]?.content?.item ?? '';
};

/** Fields of a recorded event that the handlers read in addition to its data. */
const recordedAtMark = {
  created: 0,
  revision: 0n,
  position: { commit: 0n, prepare: 0n },
} as RecordedEvent;
