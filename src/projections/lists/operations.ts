import { isRecordId } from '../../domain/ids.ts';
import type { AnyRecord } from '../../domain/record-resource.ts';
import { recordResources, type RecordResource } from '../../domain/record-resources.ts';
import type { RecordKey } from '../../domain/record.ts';
import type { RecordedEvent } from '../../eventstore/event-store.ts';
import type { Handlers } from '../projection.ts';

/** Each list's table is called as the list is. */
export type ListName = RecordResource['table'];

export const listNames: readonly ListName[] = recordResources.map(({ table }) => table);

/** Those whose records are their profile's. */
export const profilesLists: readonly ListName[] = recordResources.flatMap(({ owner, table }) =>
  owner.is === 'profile' ? [table] : [],
);

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

/** What cannot be an id is nobody's: '' would be taken for the organization's own list. */
const nobody = '';

/**
 * Imports let no text in that cannot be an id, but if another writer ever did, a NUL or half a surrogate pair would stop all read
 * models.
 */
const ownerOf = ({ owner }: RecordResource, record: AnyRecord): string | null => {
  const id = record[owner.field] ?? nobody;
  if (isRecordId(id)) return id;
  return owner.is === 'user' ? null : nobody;
};

const recorded =
  (resource: RecordResource) =>
  (operations: Operation[], data: RecordKey & AnyRecord, event: RecordedEvent): void => {
    const { organizationId, at: _decidedAt, ...record } = data;
    const storedAt = new Date(event.created).toISOString();
    operations.push({
      list: resource.table,
      organizationId,
      id: record.id,
      position: event.position.commit,
      content: {
        owner: ownerOf(resource, record),
        revision: event.revision,
        storedAt,
        item: JSON.stringify({ ...record, updatedAt: storedAt }),
      },
    });
  };

const removed =
  ({ table: list }: RecordResource) =>
  (operations: Operation[], { organizationId, id }: RecordKey, event: RecordedEvent): void => {
    operations.push({ list, organizationId, id, position: event.position.commit, content: null });
  };

/** By the type of the event. */
export const operationHandlers = Object.fromEntries(
  recordResources.flatMap((resource) => [
    [`${resource.name}Recorded`, recorded(resource)],
    [`${resource.name}Removed`, removed(resource)],
  ]),
) as Handlers<Operation[]>;
