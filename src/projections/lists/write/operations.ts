import { isOwnId, isRecordId } from '../../../domain/kernel/ids.ts';
import type { AnyRecord } from '../../../domain/records/record-resource.ts';
import { recordResources, type RecordResource } from '../../../domain/records/record-resources.ts';
import type { RecordKey } from '../../../domain/records/record.ts';
import type { RecordedEvent } from '../../../eventstore/event-store.ts';
import type { Handlers } from '../../follow/projection.ts';

/** Each list has the name of its table. */
export type ListName = RecordResource['table'];

export const listNames: readonly ListName[] = recordResources.map(({ table }) => table);

/** The lists whose records belong to a profile. */
export const profilesLists: readonly ListName[] = recordResources.flatMap(({ owner, table }) =>
  owner.is === 'profile' ? [table] : [],
);

/** What an event does to a record, in the log's order: its user depends on the profiles up to there. */
export type Operation = {
  readonly list: ListName;
  readonly organizationId: string;
  readonly id: string;
  /** Commit position of the event. */
  readonly position: bigint;
  /** When the log stored it. */
  readonly at: number;
  /** Null removes it. */
  readonly content: Content | null;
};

export type Content = {
  /** The user of a profile; for all other records, their profile. */
  readonly owner: string | null;
  /** Revision of the event in the record's stream. */
  readonly revision: bigint;
  /** RFC 3339 UTC. */
  readonly storedAt: string;
  /** Commit position of the event. */
  readonly changed: bigint;
  /** The record as its list shows it, without `createdAt`: a JSON object. */
  readonly item: string;
};

/** Stands for an owner that cannot be an id: '' would mean the organization's own list. */
const nobody = '';

/** Imports accept none, but from another writer a NUL or half a surrogate pair would stop all read models. */
const ownerOf = ({ owner }: RecordResource, record: AnyRecord): string | null => {
  const id = record[owner.field] ?? nobody;
  if (owner.is === 'user') return isOwnId(id) ? id : null;
  return isRecordId(id) ? id : nobody;
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
      at: event.created,
      content: {
        owner: ownerOf(resource, record),
        revision: event.revision,
        storedAt,
        changed: event.position.commit,
        item: JSON.stringify({ ...record, updatedAt: storedAt }),
      },
    });
  };

const removed =
  ({ table: list }: RecordResource) =>
  (operations: Operation[], { organizationId, id }: RecordKey, event: RecordedEvent): void => {
    const { position, created: at } = event;
    operations.push({ list, organizationId, id, position: position.commit, at, content: null });
  };

/** By event type. */
export const operationHandlers = Object.fromEntries(
  recordResources.flatMap((resource) => [
    [`${resource.name}Recorded`, recorded(resource)],
    [`${resource.name}Removed`, removed(resource)],
  ]),
) as Handlers<Operation[]>;
